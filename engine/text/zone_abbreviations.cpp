#include "engine/text/zone_abbreviations.h"

namespace weir::text {
namespace {

constexpr AbbreviationGroup groups[] = {
    {{"ACST", ""}, "Australia/Darwin Australia/North"},
    {{"ACST", "ACDT"},
     "Australia/Adelaide Australia/Broken_Hill Australia/South Australia/Yancowinna"},
    {{"AEST", "AEDT"},
     "Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra "
     "Australia/Currie Australia/Hobart Australia/Lindeman Australia/Melbourne "
     "Australia/NSW Australia/Queensland Australia/Sydney Australia/Tasmania "
     "Australia/Victoria"},
    {{"AKST", "AKDT"},
     "America/Anchorage America/Juneau America/Metlakatla America/Nome America/Sitka "
     "America/Yakutat US/Alaska"},
    {{"AST", ""},
     "America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao "
     "America/Dominica America/Grenada America/Guadeloupe America/Kralendijk "
     "America/Lower_Princes America/Marigot America/Montserrat America/Port_of_Spain "
     "America/Puerto_Rico America/Santo_Domingo America/St_Barthelemy America/St_Kitts "
     "America/St_Lucia America/St_Thomas America/St_Vincent America/Tortola America/Virgin"},
    {{"AST", "ADT"},
     "America/Barbados America/Glace_Bay America/Goose_Bay America/Halifax "
     "America/Martinique America/Moncton America/Thule Atlantic/Bermuda Canada/Atlantic"},
    {{"AWST", "AWDT"}, "Australia/Perth Australia/West"},
    {{"CAT", ""},
     "Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali "
     "Africa/Lubumbashi Africa/Lusaka Africa/Maputo"},
    {{"CAT", "CAST"}, "Africa/Juba Africa/Khartoum"},
    {{"CAT", "WAT"}, "Africa/Windhoek"},
    {{"CET", "CEST"},
     "Africa/Ceuta Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen CET "
     "Europe/Amsterdam Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava "
     "Europe/Brussels Europe/Budapest Europe/Busingen Europe/Copenhagen Europe/Gibraltar "
     "Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Malta Europe/Monaco "
     "Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague Europe/Rome "
     "Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane "
     "Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich "
     "Poland"},
    {{"CET", "WEST"}, "Africa/Algiers"},
    {{"CST", ""}, "America/Regina America/Swift_Current Canada/Saskatchewan"},
    {{"CST", "CDT"},
     "America/Bahia_Banderas America/Belize America/Chicago America/Costa_Rica "
     "America/El_Salvador America/Guatemala America/Havana America/Indiana/Knox "
     "America/Indiana/Tell_City America/Knox_IN America/Managua America/Matamoros "
     "America/Menominee America/Merida America/Mexico_City America/Monterrey "
     "America/North_Dakota/Beulah America/North_Dakota/Center "
     "America/North_Dakota/New_Salem America/Ojinaga America/Rainy_River "
     "America/Rankin_Inlet America/Resolute America/Tegucigalpa America/Winnipeg "
     "Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai "
     "Asia/Taipei CST6CDT Canada/Central Cuba Mexico/General PRC US/Central "
     "US/Indiana-Starke"},
    {{"CST", "MDT"}, "America/Chihuahua"},
    {{"ChST", "GDT"}, "Pacific/Guam Pacific/Saipan"},
    {{"EAT", ""},
     "Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti "
     "Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro "
     "Indian/Mayotte"},
    {{"EET", "CEST"}, "Africa/Tripoli Libya"},
    {{"EET", "EEST"},
     "Africa/Cairo Asia/Beirut Asia/Famagusta Asia/Gaza Asia/Hebron Asia/Nicosia EET Egypt "
     "Europe/Athens Europe/Bucharest Europe/Chisinau Europe/Helsinki Europe/Kaliningrad "
     "Europe/Kiev Europe/Kyiv Europe/Mariehamn Europe/Nicosia Europe/Riga Europe/Sofia "
     "Europe/Tallinn Europe/Tiraspol Europe/Uzhgorod Europe/Vilnius Europe/Zaporozhye"},
    {{"EST", ""}, "America/Atikokan America/Cayman America/Coral_Harbour America/Panama"},
    {{"EST", "CDT"}, "America/Cancun"},
    {{"EST", "EDT"},
     "America/Detroit America/Fort_Wayne America/Grand_Turk America/Indiana/Indianapolis "
     "America/Indiana/Marengo America/Indiana/Petersburg America/Indiana/Vevay "
     "America/Indiana/Vincennes America/Indiana/Winamac America/Indianapolis "
     "America/Iqaluit America/Jamaica America/Kentucky/Louisville "
     "America/Kentucky/Monticello America/Louisville America/Montreal America/Nassau "
     "America/New_York America/Nipigon America/Pangnirtung America/Port-au-Prince "
     "America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT Jamaica US/East-Indiana "
     "US/Eastern US/Michigan"},
    {{"GMT", ""},
     "Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry "
     "Africa/Dakar Africa/Freetown Africa/Lome Africa/Monrovia Africa/Nouakchott "
     "Africa/Ouagadougou Africa/Sao_Tome Africa/Timbuktu America/Danmarkshavn "
     "Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 "
     "Etc/Greenwich GMT GMT0 Greenwich Iceland"},
    {{"GMT", "BST"},
     "Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB "
     "GB-Eire"},
    {{"HKT", "HKST"}, "Asia/Hong_Kong Hongkong"},
    {{"HST", ""}, "Pacific/Honolulu Pacific/Johnston US/Hawaii"},
    {{"HST", "HDT"}, "America/Adak America/Atka US/Aleutian"},
    {{"IST", ""}, "Asia/Calcutta Asia/Kolkata"},
    {{"GMT", "IST"}, "Eire Europe/Dublin"},
    {{"IST", "IDT"}, "Asia/Jerusalem Asia/Tel_Aviv Israel"},
    {{"JST", ""}, "Asia/Tokyo Japan"},
    {{"KST", ""}, "Asia/Pyongyang"},
    {{"KST", "KDT"}, "Asia/Seoul ROK"},
    {{"MET", "MEST"}, "MET"},
    {{"MSK", "EEST"}, "Europe/Simferopol"},
    {{"MSK", "MSD"}, "Europe/Kirov Europe/Moscow Europe/Volgograd W-SU"},
    {{"MST", ""}, "America/Creston America/Phoenix US/Arizona"},
    {{"MST", "MDT"},
     "America/Boise America/Cambridge_Bay America/Ciudad_Juarez America/Denver "
     "America/Edmonton America/Hermosillo America/Inuvik America/Mazatlan America/Shiprock "
     "America/Yellowknife Canada/Mountain MST7MDT Mexico/BajaSur Navajo US/Mountain"},
    {{"MST", "PDT"},
     "America/Dawson America/Dawson_Creek America/Fort_Nelson America/Whitehorse "
     "Canada/Yukon"},
    {{"NST", "NDT"}, "America/St_Johns Canada/Newfoundland"},
    {{"NZST", "NZDT"}, "Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland"},
    {{"PKT", "PKST"}, "Asia/Karachi"},
    {{"PST", "PDT"},
     "America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana "
     "America/Vancouver Asia/Manila Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific"},
    {{"SAST", ""}, "Africa/Johannesburg Africa/Maseru Africa/Mbabane"},
    {{"SST", ""}, "Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa"},
    {{"UTC", ""}, "Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu"},
    {{"WAT", ""},
     "Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos "
     "Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo"},
    {{"WAT", "WAST"}, "Africa/Ndjamena"},
    {{"WET", "WEST"},
     "Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira Europe/Lisbon "
     "Portugal WET"},
    {{"WIB", ""}, "Asia/Jakarta Asia/Pontianak"},
    {{"WIT", ""}, "Asia/Jayapura"},
    {{"WITA", ""}, "Asia/Makassar Asia/Ujung_Pandang"},
};

}  // namespace

std::span<const AbbreviationGroup> abbreviation_groups() {
  return groups;
}

}  // namespace weir::text
