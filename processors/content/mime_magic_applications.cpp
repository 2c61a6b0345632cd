#include "processors/content/mime_table.h"

namespace weir::processors {
namespace {

constexpr MimeMagicRow rows[] = {
    {"application/flowfile-v1", 100, "0=flowfile.attributes"},
    {"application/flowfile-v2", 100, "0=NiFiFF2"},
    {"application/flowfile-v3", 100, "0=NiFiFF3"},
    {"application/cbor", 60, "0=\\xd9\\xd9\\xf7"},
    {"application/dash+xml", 50, "0=<MPD"},
    {"application/dicom", 50, "128=DICM"},
    {"application/epub+zip", 50, "0=PK\\x03\\x04 & 30=mimetypeapplication\\x2fepub+zip"},
    {"application/fits", 50,
     "0="
     "SIMPLE\\x20\\x20\\x3d\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\"
     "x20\\x20\\x20\\x20\\x20\\x20T"},
    {"application/fits", 50,
     "0="
     "SIMPLE\\x20\\x20\\x3d\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\x20\\"
     "x20\\x20T"},
    {"application/gzip", 45, "0=\\x1f\\x8b"},
    {"application/gzip", 45, "0=\\x1f\\x8b"},
    {"application/java-vm", 50, "0=\\xca\\xfe\\xba\\xbe"},
    {"application/mbox", 70,
     "0=From\\x20 & (32:256=\\x0aFrom:\\x20 | 32:256=\\x0aDate:\\x20 | 32:256=\\x0aSubject:\\x20 | "
     "32:256=\\x0aDelivered-To:\\x20 | 32:256=\\x0aReceived:\\x20by\\x20 | "
     "32:256=\\x0aReceived:\\x20via\\x20 | 32:256=\\x0aReceived:\\x20from\\x20 | "
     "32:256=\\x0aMime-Version:\\x20 | 32:256~=\\x0ax- & (32:8192=\\x0aFrom:\\x20 | "
     "32:8192=\\x0aDate:\\x20 | 32:8192=\\x0aSubject:\\x20 | 32:8192=\\x0aDelivered-To:\\x20 | "
     "32:8192=\\x0aReceived:\\x20by\\x20 | 32:8192=\\x0aReceived:\\x20via\\x20 | "
     "32:8192=\\x0aReceived:\\x20from\\x20 | 32:8192=\\x0aMime-Version:\\x20))"},
    {"application/msword", 50, "2080=Microsoft\\x00\\x20Word\\x00\\x206.0\\x00\\x20Document"},
    {"application/msword", 50, "2080=Documento\\x00\\x20Microsoft\\x00\\x20Word\\x00\\x206"},
    {"application/msword", 50, "2112=MSWordDoc"},
    {"application/msword", 50, "0=1\\xbe\\x00\\x00"},
    {"application/msword", 50, "0=PO^Q`"},
    {"application/msword", 50, "0=\\xfe7\\x00#"},
    {"application/msword", 50, "0=\\xdb\\xa5-\\x00\\x00\\x00"},
    {"application/msword", 50, "0=\\x94\\xa6."},
    {"application/msword", 50,
     "0:8=\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1 & "
     "1152:4096=W\\x00o\\x00r\\x00d\\x00D\\x00o\\x00c\\x00u\\x00m\\x00e\\x00n\\x00t"},
    {"application/octet-stream", 50,
     "10=#\\x00\\x20This\\x00\\x20is\\x00\\x20a\\x00\\x20shell\\x00\\x20archive"},
    {"application/octet-stream", 50, "0=\\x1f\\x1e"},
    {"application/octet-stream", 50, "0=\\x1f\\x1f"},
    {"application/octet-stream", 50, "0=\\xff\\x1f"},
    {"application/octet-stream", 50, "0=\\xff\\x1f"},
    {"application/octet-stream", 50, "0=\\x05\\xcb"},
    {"application/ogg", 50, "0=OggS"},
    {"application/pdf", 50, "0=%PDF-"},
    {"application/pdf", 50, "0=\\xef\\xbb\\xbf%PDF-"},
    {"application/pdf", 40, "0:128=%% & 1:512=%PDF-1."},
    {"application/pdf", 40, "0:128=%% & 1:512=%PDF-2."},
    {"application/pdf", 20, "1:512=%PDF-1."},
    {"application/pdf", 20, "1:512=%PDF-2."},
    {"application/pgp-encrypted", 50, "0=\\x85 & 3=\\x03"},
    {"application/pkcs7-signature", 50, "0=-----BEGIN\\x20PKCS7"},
    {"application/pkcs7-signature", 50,
     "0=0\\x80 & "
     "2=\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\xff\\xa0/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff"},
    {"application/pkcs7-signature", 50,
     "0=0\\x81 & "
     "3=\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\xff\\xa0/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff"},
    {"application/pkcs7-signature", 50,
     "0=0\\x82 & "
     "4=\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\xff\\xa0/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff"},
    {"application/pkcs7-signature", 50,
     "0=0\\x83 & "
     "5=\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\xff\\xa0/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff"},
    {"application/pkcs7-signature", 50,
     "0=0\\x84 & "
     "6=\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x07\\xff\\xa0/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff"},
    {"application/postscript", 50, "0=%!"},
    {"application/postscript", 50, "0=\\x04%!"},
    {"application/postscript", 50, "0=\\xc5\\xd0\\xd3\\xc6"},
    {"application/postscript", 50, "0=%!PS-Adobe-3.0\\x20EPSF-3.0"},
    {"application/rtf", 50, "0={\\x5crtf"},
    {"application/vnd.apple.mpegurl", 50, "0=#EXTM3U"},
    {"application/vnd.iccprofile", 50, "36=acsp"},
    {"application/vnd.ms-cab-compressed", 50, "0=MSCF\\x00\\x00\\x00\\x00"},
    {"application/vnd.ms-cab-compressed", 50, "0=MSCF"},
    {"application/vnd.ms-excel", 50,
     "2080=Microsoft\\x00\\x20Excel\\x00\\x205.0\\x00\\x20Worksheet"},
    {"application/vnd.ms-excel", 50,
     "2080=Foglio\\x00\\x20di\\x00\\x20lavoro\\x00\\x20Microsoft\\x00\\x20Exce"},
    {"application/vnd.ms-excel", 50, "2114=Biff5"},
    {"application/vnd.ms-excel", 50, "2121=Biff5"},
    {"application/vnd.ms-excel", 50,
     "0:8=\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1 & "
     "1152:4096=W\\x00o\\x00r\\x00k\\x00b\\x00o\\x00o\\x00k"},
    {"application/vnd.ms-fontobject", 50, "8=\\x02\\x00\\x02\\x00 & 34=LP"},
    {"application/vnd.ms-htmlhelp", 50, "0=ITSF"},
    {"application/vnd.ms-outlook-pst", 50,
     "0=!BDN....SM/\\xff\\xff\\xff\\xff\\x00\\x00\\x00\\x00\\xff\\xff"},
    {"application/vnd.ms-powerpoint", 50,
     "0:8=\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1 & "
     "1152:4096="
     "P\\x00o\\x00w\\x00e\\x00r\\x00P\\x00o\\x00i\\x00n\\x00t\\x00\\x20D\\x00o\\x00c\\x00u\\x00m\\x"
     "00e\\x00n\\x00t"},
    {"application/vnd.ms-tnef", 50, "0=x\\x9f>\\x22"},
    {"application/vnd.ms-works", 50,
     "0:8=\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1 & 1152:4096=M\\x00a\\x00t\\x00O\\x00S\\x00T"},
    {"application/vnd.oasis.opendocument.chart", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.chart"},
    {"application/vnd.oasis.opendocument.formula", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.formula"},
    {"application/vnd.oasis.opendocument.graphics", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.graphics"},
    {"application/vnd.oasis.opendocument.graphics-template", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.graphics-template"},
    {"application/vnd.oasis.opendocument.image", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.image"},
    {"application/vnd.oasis.opendocument.presentation", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.presentation"},
    {"application/vnd.oasis.opendocument.presentation-template", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.presentation-template"},
    {"application/vnd.oasis.opendocument.spreadsheet", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.spreadsheet"},
    {"application/vnd.oasis.opendocument.spreadsheet-template", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.spreadsheet-template"},
    {"application/vnd.oasis.opendocument.text", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.text"},
    {"application/vnd.oasis.opendocument.text-master", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.text-master"},
    {"application/vnd.oasis.opendocument.text-template", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.text-template"},
    {"application/vnd.oasis.opendocument.text-web", 50,
     "0=PK & 30=mimetypeapplication\\x2fvnd.oasis.opendocument.text-web"},
    {"application/vnd.rn-realmedia", 50, "0=.RMF"},
    {"application/vnd.sun.xml.writer", 50, "0=PK & 30=mimetypeapplication\\x2fvnd.sun.xml.writer"},
    {"application/vnd.tcpdump.pcap", 60, "0=\\xa1\\xb2\\xc3\\xd4"},
    {"application/vnd.tcpdump.pcap", 60, "0=\\xd4\\xc3\\xb2\\xa1"},
    {"application/vnd.tcpdump.pcapng", 60,
     "0=\\x0a\\x0d\\x0d\\x0a & (8=\\xa1\\xb2\\xc3\\xd4 | 8=M<+\\x1a)"},
    {"application/vnd.wordperfect", 50, "0=application\\x2fvnd.wordperfect;"},
    {"application/vnd.wordperfect", 40, "0=\\xffWPC"},
    {"application/warc", 60, "0=WARC\\x2f"},
    {"application/wasm", 50, "0=\\x00asm"},
    {"application/wasm", 50, "0=msa\\x00"},
    {"application/x-7z-compressed", 50, "0:1=7z & 2:5=\\xbc\\xaf'\\x1c"},
    {"application/x-archive", 50, "0=\\x3d<ar>"},
    {"application/x-archive", 50, "0=!<arch>\\x0a"},
    {"application/x-arj", 50, "0=`\\xea"},
    {"application/x-bat", 50, "0~=@echo\\x20off"},
    {"application/x-bat", 50, "0~=rem\\x20"},
    {"application/x-bibtex-text-file", 50, "0=%\\x00\\x20BibTeX\\x00\\x20`"},
    {"application/x-bibtex-text-file", 50, "73=%%%\\x00\\x20\\x00\\x20"},
    {"application/x-bibtex-text-file", 50,
     "0=%\\x00\\x20BibTeX\\x00\\x20standard\\x00\\x20bibliography\\x00\\x20"},
    {"application/x-bibtex-text-file", 50, "73=%%%\\x00\\x20\\x00\\x20@BibTeX-style-file{"},
    {"application/x-bibtex-text-file", 50, "0~=@article{"},
    {"application/x-bibtex-text-file", 50, "0~=@book{"},
    {"application/x-bibtex-text-file", 50, "0~=@inbook{"},
    {"application/x-bibtex-text-file", 50, "0~=@incollection{"},
    {"application/x-bibtex-text-file", 50, "0~=@inproceedings{"},
    {"application/x-bibtex-text-file", 50, "0~=@manual{"},
    {"application/x-bibtex-text-file", 50, "0~=@misc{"},
    {"application/x-bibtex-text-file", 50, "0~=@preamble{"},
    {"application/x-bibtex-text-file", 50, "0~=@phdthesis{"},
    {"application/x-bibtex-text-file", 50, "0~=@string{"},
    {"application/x-bibtex-text-file", 50, "0~=@techreport{"},
    {"application/x-bibtex-text-file", 50, "0~=@unpublished{"},
    {"application/x-bibtex-text-file", 30,
     "0=% & (2:128~=\\x0a@article{ | 2:128~=\\x0a@book{ | 2:128~=\\x0a@inbook{ | "
     "2:128~=\\x0a@incollection{ | 2:128~=\\x0a@inproceedings{ | 2:128~=\\x0a@manual{ | "
     "2:128~=\\x0a@misc{ | 2:128~=\\x0a@preamble{ | 2:128~=\\x0a@phdthesis{ | 2:128~=\\x0a@string{ "
     "| 2:128~=\\x0a@techreport{ | 2:128~=\\x0a@unpublished{)"},
    {"application/x-bittorrent", 50, "0=d8:announce"},
    {"application/x-bplist", 70, "0=bplist\\x00\\x00"},
    {"application/x-bplist", 70, "0=bplist\\x00\\x01"},
    {"application/x-bplist", 70, "0=bplist@\\x00"},
    {"application/x-bplist", 70, "0=bplist00"},
    {"application/x-bplist", 70, "0=bplist01"},
    {"application/x-bplist", 70, "0=bplist10"},
    {"application/x-bplist", 70, "0=bplist15"},
    {"application/x-bplist", 70, "0=bplist16"},
    {"application/x-bplist", 60, "0=bplist"},
    {"application/x-bzip", 40, "0=BZ0"},
    {"application/x-bzip2", 40,
     "(0=BZh1 | 0=BZh2 | 0=BZh3 | 0=BZh4 | 0=BZh5 | 0=BZh6 | 0=BZh7 | 0=BZh8 | 0=BZh9)"},
    {"application/x-chrome-package", 50, "0=Cr24"},
    {"application/x-compress", 50, "0=\\x1f\\x9d"},
    {"application/x-coredump", 50, "0=\\x7fELF & (16=\\x04\\x00 | 16=\\x00\\x04)"},
    {"application/x-cpio", 50, "0=\\xc7q"},
    {"application/x-cpio", 50, "0=q\\xc7"},
    {"application/x-cpio", 50, "0=070707"},
    {"application/x-cpio", 50, "0=070701"},
    {"application/x-cpio", 50, "0=070702"},
    {"application/x-debian-package", 60, "0=!<arch>\\x0adebian-binary"},
    {"application/x-debian-package", 60, "0=!<arch>\\x0adebian-split"},
    {"application/x-dex", 50, "0=dex\\x0a & 7=\\x00"},
    {"application/x-dvi", 50, "0=\\xf7\\x02"},
    {"application/x-dvi", 50, "0=\\xf7\\x02"},
    {"application/x-dvi", 50, "14=\\x1b\\x20TeX\\x20output\\x20"},
    {"application/x-elc", 50, "0=\\x0a\\x28"},
    {"application/x-elc", 50, "0=;ELC\\x13\\x00\\x00\\x00"},
    {"application/x-elf", 50, "0=\\x7fELF"},
    {"application/x-executable", 50, "0=\\x7fELF & (16=\\x02\\x00 | 16=\\x00\\x02)"},
    {"application/x-font-otf", 40, "0=OTTO\\x00"},
    {"application/x-font-ttf", 40, "0=\\x00\\x01\\x00\\x00"},
    {"application/x-font-type1", 60,
     "0=\\x80\\x01\\xff\\xff\\x00\\x00%!PS-AdobeFont/"
     "\\xff\\xff\\x00\\x00\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x"
     "ff\\xff"},
    {"application/x-font-type1", 60, "0=%!PS-AdobeFont-1.0"},
    {"application/x-geopackage", 60, "0=SQLite\\x20format\\x203\\x00 & 68=GPKG"},
    {"application/x-gnumeric", 50, "39=\\x3d<gmr:Workbook"},
    {"application/x-grib", 50, "0=GRIB"},
    {"application/x-gtar", 50, "257=ustar\\x20\\x20\\x00"},
    {"application/x-hdf", 50, "0=\\x0e\\x03\\x13\\x01"},
    {"application/x-hdf", 50, "0=\\x89HDF\\x0d\\x0a\\x1a"},
    {"application/x-httpresponse", 60,
     "0=HTTP\\x2f & (0:1000=\\x0aCache-Control: | 0:1000=\\x0aContent-Type: | "
     "0:1000=\\x0aContent-Length: | 0:1000=\\x0aContent-Disposition: | 0:1000=\\x0aDate: | "
     "0:1000=\\x0aServer:)"},
    {"application/x-hwp", 50, "0=HWP\\x20Document\\x20File\\x20V"},
    {"application/x-internet-archive", 60, "0=filedesc:\\x2f\\x2f"},
    {"application/x-iso9660-image", 50, "32769=CD001"},
    {"application/x-iso9660-image", 50, "34817=CD001"},
    {"application/x-iso9660-image", 50, "36865=CD001"},
    {"application/x-java-keystore", 50, "0:4=\\xfe\\xed\\xfe\\xed"},
    {"application/x-latex", 50, "0=%\\x00\\x20-*-latex-*-"},
    {"application/x-lha", 50, "2=-lzs-"},
    {"application/x-lha", 50, "2=-lh\\x20-"},
    {"application/x-lha", 50, "2=-lhd-"},
    {"application/x-lha", 50, "2=-lh2-"},
    {"application/x-lha", 50, "2=-lh3-"},
    {"application/x-lha", 50, "2=-lh4-"},
    {"application/x-lha", 50, "2=-lh5-"},
    {"application/x-lha", 50, "2=-lh6-"},
    {"application/x-lha", 50, "2=-lh7-"},
    {"application/x-lz4", 60, "0=\\x04\\x22M\\x18"},
    {"application/x-lz4", 60, "0=\\x02!L\\x18"},
    {"application/x-lzip", 50, "0=LZIP"},
    {"application/x-mach-o", 50, "0=\\xfe\\xed\\xfa\\xce"},
    {"application/x-mach-o", 50, "0=\\xce\\xfa\\xed\\xfe"},
    {"application/x-mach-o", 50, "0=\\xfe\\xed\\xfa\\xcf"},
    {"application/x-mach-o", 50, "0=\\xcf\\xfa\\xed\\xfe"},
    {"application/x-mach-o-executable", 55, "0=\\xfe\\xed\\xfa\\xce & 12=\\x00\\x00\\x00\\x02"},
    {"application/x-mach-o-executable", 55, "0=\\xce\\xfa\\xed\\xfe & 12=\\x02\\x00\\x00\\x00"},
    {"application/x-mach-o-executable", 55, "0=\\xfe\\xed\\xfa\\xcf & 12=\\x00\\x00\\x00\\x02"},
    {"application/x-mach-o-executable", 55, "0=\\xcf\\xfa\\xed\\xfe & 12=\\x02\\x00\\x00\\x00"},
    {"application/x-mach-o-object", 55, "0=\\xfe\\xed\\xfa\\xce & 12=\\x00\\x00\\x00\\x01"},
    {"application/x-mach-o-object", 55, "0=\\xce\\xfa\\xed\\xfe & 12=\\x01\\x00\\x00\\x00"},
    {"application/x-mach-o-object", 55, "0=\\xfe\\xed\\xfa\\xcf & 12=\\x00\\x00\\x00\\x01"},
    {"application/x-mach-o-object", 55, "0=\\xcf\\xfa\\xed\\xfe & 12=\\x01\\x00\\x00\\x00"},
    {"application/x-mach-o-universal", 60,
     "0=\\xca\\xfe\\xba\\xbe & (4=\\x00\\x00\\x00\\x01 | 4=\\x00\\x00\\x00\\x02 | "
     "4=\\x00\\x00\\x00\\x03 | 4=\\x00\\x00\\x00\\x04 | 4=\\x00\\x00\\x00\\x05 | "
     "4=\\x00\\x00\\x00\\x06 | 4=\\x00\\x00\\x00\\x07 | 4=\\x00\\x00\\x00\\x08 | "
     "4=\\x00\\x00\\x00\\x09 | 4=\\x00\\x00\\x00\\x0a | 4=\\x00\\x00\\x00\\x0b | "
     "4=\\x00\\x00\\x00\\x0c | 4=\\x00\\x00\\x00\\x0d | 4=\\x00\\x00\\x00\\x0e | "
     "4=\\x00\\x00\\x00\\x0f | 4=\\x00\\x00\\x00\\x10 | 4=\\x00\\x00\\x00\\x11 | "
     "4=\\x00\\x00\\x00\\x12 | 4=\\x00\\x00\\x00\\x13)"},
    {"application/x-mach-o-universal", 60,
     "0=\\xbe\\xba\\xfe\\xca & (4=\\x01\\x00\\x00\\x00 | 4=\\x02\\x00\\x00\\x00 | "
     "4=\\x03\\x00\\x00\\x00 | 4=\\x04\\x00\\x00\\x00 | 4=\\x05\\x00\\x00\\x00 | "
     "4=\\x06\\x00\\x00\\x00 | 4=\\x07\\x00\\x00\\x00 | 4=\\x08\\x00\\x00\\x00 | "
     "4=\\x09\\x00\\x00\\x00 | 4=\\x0a\\x00\\x00\\x00 | 4=\\x0b\\x00\\x00\\x00 | "
     "4=\\x0c\\x00\\x00\\x00 | 4=\\x0d\\x00\\x00\\x00 | 4=\\x0e\\x00\\x00\\x00 | "
     "4=\\x0f\\x00\\x00\\x00 | 4=\\x10\\x00\\x00\\x00 | 4=\\x11\\x00\\x00\\x00 | "
     "4=\\x12\\x00\\x00\\x00 | 4=\\x13\\x00\\x00\\x00)"},
    {"application/x-mach-o-universal", 60,
     "0=\\xca\\xfe\\xba\\xbf & (4=\\x00\\x00\\x00\\x01 | 4=\\x00\\x00\\x00\\x02 | "
     "4=\\x00\\x00\\x00\\x03 | 4=\\x00\\x00\\x00\\x04 | 4=\\x00\\x00\\x00\\x05 | "
     "4=\\x00\\x00\\x00\\x06 | 4=\\x00\\x00\\x00\\x07 | 4=\\x00\\x00\\x00\\x08 | "
     "4=\\x00\\x00\\x00\\x09 | 4=\\x00\\x00\\x00\\x0a | 4=\\x00\\x00\\x00\\x0b | "
     "4=\\x00\\x00\\x00\\x0c | 4=\\x00\\x00\\x00\\x0d | 4=\\x00\\x00\\x00\\x0e | "
     "4=\\x00\\x00\\x00\\x0f | 4=\\x00\\x00\\x00\\x10 | 4=\\x00\\x00\\x00\\x11 | "
     "4=\\x00\\x00\\x00\\x12 | 4=\\x00\\x00\\x00\\x13)"},
    {"application/x-mach-o-universal", 60,
     "0=\\xbf\\xba\\xfe\\xca & (4=\\x01\\x00\\x00\\x00 | 4=\\x02\\x00\\x00\\x00 | "
     "4=\\x03\\x00\\x00\\x00 | 4=\\x04\\x00\\x00\\x00 | 4=\\x05\\x00\\x00\\x00 | "
     "4=\\x06\\x00\\x00\\x00 | 4=\\x07\\x00\\x00\\x00 | 4=\\x08\\x00\\x00\\x00 | "
     "4=\\x09\\x00\\x00\\x00 | 4=\\x0a\\x00\\x00\\x00 | 4=\\x0b\\x00\\x00\\x00 | "
     "4=\\x0c\\x00\\x00\\x00 | 4=\\x0d\\x00\\x00\\x00 | 4=\\x0e\\x00\\x00\\x00 | "
     "4=\\x0f\\x00\\x00\\x00 | 4=\\x10\\x00\\x00\\x00 | 4=\\x11\\x00\\x00\\x00 | "
     "4=\\x12\\x00\\x00\\x00 | 4=\\x13\\x00\\x00\\x00)"},
    {"application/x-matlab-data", 50, "0=MATLAB"},
    {"application/x-matroska", 40, "0=\\x1aE\\xdf\\xa3"},
    {"application/x-mobipocket-ebook", 60, "0:60=BOOKMOBI"},
    {"application/x-msaccess", 60, "0=\\x00\\x01\\x00\\x00Stan"},
    {"application/x-msdownload", 50, "0=MZ"},
    {"application/x-mswrite", 50, "0=1\\xbe\\x00\\x00"},
    {"application/x-mswrite", 50, "0=2\\xbe\\x00\\x00"},
    {"application/x-netcdf", 50, "0=CDF\\x01"},
    {"application/x-netcdf", 50, "0=CDF\\x02"},
    {"application/x-netcdf", 50, "0=CDF\\x01"},
    {"application/x-object", 50, "0=\\x7fELF & (16=\\x01\\x00 | 16=\\x00\\x01)"},
    {"application/x-parquet", 50, "0=PAR1"},
    {"application/x-rar-compressed", 50, "0=Rar!"},
    {"application/x-rar-compressed", 50, "0=Rar!\\x1a"},
    {"application/x-rpm", 50, "0=\\xed\\xab\\xee\\xdb"},
    {"application/x-sas-data", 40, "84=SAS\\x20FILE"},
    {"application/x-sas-xport", 40,
     "0=HEADER\\x20RECORD*******LIBRARY\\x20HEADER\\x20RECORD!!!!!!!"},
    {"application/x-sh", 50, "0=#!\\x2f"},
    {"application/x-sh", 50, "0=#!\\x00\\x20\\x2f"},
    {"application/x-sh", 50, "0=#!\\x00t\\x2f"},
    {"application/x-sh", 50, "0=eval\\x20\\x22exec"},
    {"application/x-shapefile", 60, "0=\\x00\\x00'\\x0a"},
    {"application/x-sharedlib", 50, "0=\\x7fELF & (16=\\x03\\x00 | 16=\\x00\\x03)"},
    {"application/x-shockwave-flash", 50, "0=FWS"},
    {"application/x-shockwave-flash", 50, "0=CWS"},
    {"application/x-snappy-framed", 50, "0=sNaPpY"},
    {"application/x-spss-sav", 50, "0=$FL2@\\x28#\\x29"},
    {"application/x-sqlite3", 50, "0=SQLite\\x20format\\x203\\x00"},
    {"application/x-stata-dta", 50, "0=<stata_dta><header><release>"},
    {"application/x-stata-dta", 40, "0=<stata_dta>"},
    {"application/x-stuffit", 50, "0=StuffIt"},
    {"application/x-subrip", 50, "0=1\\x0a00"},
    {"application/x-subrip", 50, "0=1\\x0d00"},
    {"application/x-subrip", 50, "0=1\\x0d\\x0a\\x13\\x03"},
    {"application/x-subrip", 50, "0=\\xef\\xbb\\xbf1\\x0a00"},
    {"application/x-subrip", 50, "0=\\xef\\xbb\\xbf1\\x0d00"},
    {"application/x-subrip", 50, "0=\\xef\\xbb\\xbf1\\x0d\\x0a\\x13\\x03"},
    {"application/x-tar", 40, "257=ustar\\x00"},
    {"application/x-tex", 50, "0=\\x5cinput"},
    {"application/x-tex", 50, "0=\\x5csection"},
    {"application/x-tex", 50, "0=\\x5csetlength"},
    {"application/x-tex", 50, "0=\\x5cdocumentstyle"},
    {"application/x-tex", 50, "0=\\x5cchapter"},
    {"application/x-tex", 50, "0=\\x5cdocumentclass"},
    {"application/x-tex", 50, "0=\\x5crelax"},
    {"application/x-tex", 50, "0=\\x5ccontentsline"},
    {"application/x-texinfo", 50, "0=\\x5cinput\\x00\\x20texinfo"},
    {"application/x-tika-msoffice", 40, "0:8=\\xd0\\xcf\\x11\\xe0\\xa1\\xb1\\x1a\\xe1"},
    {"application/x-tika-ooxml", 50,
     "0=PK\\x03\\x04 & (30=[Content_Types].xml | 30=_rels\\x2f.rels)"},
    {"application/x-vhd", 50, "0=conectix"},
    {"application/x-x509-cert;format=der", 50,
     "0=0\\x80/\\xff\\xf8 & "
     "(10:50=0\\x0d\\x06\\x09*\\x86H\\x86\\xf7\\x0d\\x01\\x01\\x0b\\x05\\x00/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00\\xff\\xff | "
     "10:50=0\\x0b\\x06\\x09`\\x86H\\x01e\\x03\\x04\\x03\\x01/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00 | "
     "10:50=0\\x0a\\x06\\x08*\\x86H\\xce\\x3d\\x04\\x03\\x01/"
     "\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\xff\\x00)"},
    {"application/x-x509-cert;format=pem", 50, "0=-----BEGIN\\x20CERTIFICATE-----"},
    {"application/x-x509-key;format=der", 40, "0=0\\x80\\x02\\x01\\x00/\\xff\\xff\\xff\\xff\\xfc"},
    {"application/x-x509-key;format=der", 40,
     "0=0\\x81\\xff\\x02\\x01\\x00/\\xff\\xff\\x00\\xff\\xff\\xfc"},
    {"application/x-x509-key;format=der", 40,
     "0=0\\x82\\xff\\xff\\x02\\x01\\x00/\\xff\\xff\\x00\\x00\\xff\\xff\\xfc"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20PRIVATE\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20PUBLIC\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20RSA\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20RSA\\x20PRIVATE\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20DSA\\x20KEY-----"},
    {"application/x-x509-key;format=pem", 50, "0=-----BEGIN\\x20DSA\\x20PRIVATE\\x20KEY-----"},
    {"application/x-xz", 50, "0=\\xfd7zXZ\\x00"},
    {"application/x-zoo", 50, "20=\\xdc\\xa7\\xc4\\xfd"},
    {"application/xhtml+xml", 40, "0:8192=<html\\x20xmlns\\x3d"},
    {"application/xml", 50, "0=<\\x3fxml"},
    {"application/xml", 50, "0=<\\x3fXML"},
    {"application/xml", 50, "0=\\xef\\xbb\\xbf<\\x3fxml"},
    {"application/xml", 50, "0=\\xff\\xfe<\\x00\\x3f\\x00x\\x00m\\x00l\\x00"},
    {"application/xml", 50, "0=\\xfe\\xff\\x00<\\x00\\x3f\\x00x\\x00m\\x00l"},
    {"application/xml", 30, "0=<!--"},
    {"application/zip", 50, "0=PK\\x03\\x04"},
    {"application/zip", 50, "0=PK\\x05\\x06"},
    {"application/zip", 50, "0=PK\\x07\\x08"},
    {"application/zlib", 45, "0=x\\x01"},
    {"application/zlib", 45, "0=x^"},
    {"application/zlib", 45, "0=x\\x9c"},
    {"application/zlib", 45, "0=x\\xda"},
    {"application/zstd", 50, "0=\\x28\\xb5\\x2f\\xfd"},
};

}  // namespace

std::span<const MimeMagicRow> mime_application_magics() {
  return rows;
}

}  // namespace weir::processors
