#include <gtest/gtest.h>

#include "tests/processors/jolt/jolt_cases.h"

namespace weir::jolt {
namespace {

TEST(Shift, PathsAndContainers) {
  check(Operation::shift, {
                              {R"j({"id":"key","name":{"first":"given.name"}})j",
                               R"j({"id":7,"name":{"first":"Ann","last":"Lee"}})j",
                               R"j({"key":7,"given":{"name":"Ann"}})j"},
                              {R"j({"a":"x.y.z","b":"x.y.w","c":"x"})j", R"j({"a":1,"b":2,"c":3})j",
                               R"j({"x":[{"y":{"z":1,"w":2}},3]})j"},
                              {R"j({"c":"x","a":"x.y"})j", R"j({"a":1,"c":3})j", R"j({"x":3})j"},
                              {R"j({"a":""})j", R"j({"a":{"b":[1,2]}})j", R"j({"b":[1,2]})j"},
                              {R"j({"nope":"k"})j", R"j({"a":1})j", R"j(null)j"},
                              {R"j({"a":null})j", R"j({"a":1})j", R"j(null)j"},
                              {R"j({"a":"x"})j", R"j({"a":null})j", R"j({"x":null})j"},
                              {R"j({"a":["x","y.z"]})j", R"j({"a":{"q":1}})j",
                               R"j({"x":{"q":1},"y":{"z":{"q":1}}})j"},
                              {R"j({"*":"&"})j", R"j({"a":1,"b":"two","c":null,"d":[1],"e":{}})j",
                               R"j({"a":1,"b":"two","c":null,"d":[1],"e":{}})j"},
                              {R"j({"a":"x\\.y","b":"p\\.q.r"})j", R"j({"a":1,"b":2})j",
                               R"j({"x.y":1,"p.q":{"r":2}})j"},
                              {R"j({"a.b":"c"})j", R"j({"a.b":5,"a":{"b":6}})j", R"j({"c":5})j"},
                          });
}

TEST(Shift, ImplicitLists) {
  check(
      Operation::shift,
      {
          {R"j({"a":"x","b":"x"})j", R"j({"a":1,"b":2})j", R"j({"x":[1,2]})j"},
          {R"j({"a":"x","b":"x","c":"x"})j", R"j({"a":[1],"b":2,"c":[3]})j",
           R"j({"x":[1,2,[3]]})j"},
          {R"j({"*":"all"})j", R"j({"a":1,"b":{"c":2},"d":[3,4]})j",
           R"j({"all":[1,{"c":2},[3,4]]})j"},
          {R"j({"a":"x[]"})j", R"j({"a":1})j", R"j({"x":[1]})j"},
          {R"j({"a":"x[]","b":"x[]"})j", R"j({"a":[1,2],"b":3})j", R"j({"x":[[1,2],3]})j"},
          {R"j({"a":"x[].y","b":"x[].y"})j", R"j({"a":1,"b":2})j", R"j({"x":[{"y":1},{"y":2}]})j"},
          {R"j({"a":"x[2]"})j", R"j({"a":1})j", R"j({"x":[null,null,1]})j"},
          {R"j({"a":"x[1].id","b":"x[1].url","c":"x[0].id"})j", R"j({"a":1,"b":"u","c":9})j",
           R"j({"x":[{"id":9},{"id":1,"url":"u"}]})j"},
          {R"j({"a":"x[0][1]"})j", R"j({"a":1})j", R"j({"x":[[null,1]]})j"},
          {R"j({"a":"[1]"})j", R"j({"a":5})j", R"j([null,5])j"},
          {R"j({"a":"[]","b":"[]"})j", R"j({"a":5,"b":6})j", R"j([5,6])j"},
      });
}

TEST(Shift, ArraysOfTheInput) {
  check(Operation::shift,
        {
            {R"j({"items":{"0":"first","2":"third","7":"none"}})j", R"j({"items":["a","b","c"]})j",
             R"j({"first":"a","third":"c"})j"},
            {R"j({"items":{"*":{"id":"ids","name":"names[&1]"}}})j",
             R"j({"items":[{"id":1,"name":"x"},{"id":2,"name":"y"}]})j",
             R"j({"ids":[1,2],"names":["x","y"]})j"},
            {R"j({"items":{"*":{"id":"out[&1].key","tags":{"*":"out[&2].labels[&0]"}}}})j",
             R"j({"items":[{"id":1,"tags":["a","b"]},{"id":2,"tags":["c"]}]})j",
             R"j({"out":[{"key":1,"labels":["a","b"]},{"key":2,"labels":["c"]}]})j"},
            {R"j({"*":{"id":"ids"}})j", R"j([{"id":1},{"id":2},{"x":3}])j", R"j({"ids":[1,2]})j"},
            {R"j({"items":{"x":"never"}})j", R"j({"items":[1]})j", R"j(null)j"},
            {R"j({"a":{"*":{"*":"flat[]"}}})j", R"j({"a":[[1,2],[3]]})j", R"j({"flat":[1,2,3]})j"},
        });
}

TEST(Shift, StarsInKeys) {
  check(Operation::shift,
        {
            {R"j({"tag-*":"tags.&(0,1)"})j", R"j({"tag-red":1,"tag-blue":2,"tag-":3,"other":4})j",
             R"j({"tags":{"red":1,"blue":2}})j"},
            {R"j({"*-id":"ids.&(0,1)"})j", R"j({"a-id":1,"-id":2,"b-c-id":3})j",
             R"j({"ids":{"a":1,"b-c":3}})j"},
            {R"j({"rate-*-max":"m.&(0,1)"})j",
             R"j({"rate-x-max":1,"rate--max":2,"rate-a-b-max":3})j", R"j({"m":{"x":1,"a-b":3}})j"},
            {R"j({"*-*":"two.&(0,2).&(0,1)"})j",
             R"j({"a-b":1,"a-b-c":2,"-x":3,"y-":4,"--":5,"---":6})j",
             R"j({"two":{"b":{"a":1},"b-c":{"a":2},"-":{"-":6}}})j"},
            {R"j({"x-*-*":"o.&(0,1)+&(0,2)"})j", R"j({"x-a-b":1,"x-a-b-c":2,"x--b":3})j",
             R"j({"o":{"a+b":1,"a+b-c":2}})j"},
            {R"j({"*:*:*":"t.&(0,3).&(0,2).&(0,1)"})j",
             R"j({"a:b:c":1,"a:b:c:d":2,"a::c":3,"é:ü:ö":4})j",
             R"j({"t":{"c":{"b":{"a":1}},"c:d":{"b":{"a":2}},"ö":{"ü":{"é":4}}}})j"},
            {R"j({"*.*-*.*":"&(0,1)-&(0,2)-&(0,3)-&(0,4)"})j", R"j({"a.b-c.d":1,"a-b":2})j",
             R"j({"a-b-c-d":1})j"},
            {R"j({"*":"rest.&","a*":"a.&(0,1)","ab*":"ab.&(0,1)","*b":"endb.&(0,1)"})j",
             R"j({"abc":1,"ax":2,"xb":3,"q":4,"ab":5})j",
             R"j({"ab":{"c":1},"a":{"x":2},"endb":{"x":3,"a":5},"rest":{"q":4}})j"},
            {R"j({"(*)?*+*":"k.&(0,1)"})j", R"j({"(a)?b+c":1,"ab+c":2})j", R"j({"k":{"a":1}})j"},
            {R"j({"aa*a":"x.&(0,1)"})j", R"j({"aaa":1,"aaaa":2,"aaaaa":3})j",
             R"j({"x":{"a":2,"aa":3}})j"},
        });
}

TEST(Shift, LiteralsAndStarsTogether) {
  check(
      Operation::shift,
      {
          {R"j({"rating":{"primary":{"value":"Rating"},"*":{"value":"Other.&1.Value","$":"Other.&1.Id"}}})j",
           R"j({"rating":{"primary":{"value":3},"quality":{"value":4},"size":{"value":5}}})j",
           R"j({"Rating":3,"Other":{"quality":{"Id":"quality","Value":4},"size":{"Id":"size","Value":5}}})j"},
          {R"j({"a":"lit","*":"star"})j", R"j({"b":1,"a":2,"c":3})j",
           R"j({"star":[1,3],"lit":2})j"},
          {R"j({"z":"lit","x*":"star.&"})j", R"j({"x1":1,"z":2,"x2":3})j",
           R"j({"lit":2,"star":{"x1":1,"x2":3}})j"},
          {R"j({"*":{"id":"o.&1","*":"rest.&1.&"}})j", R"j({"p":{"id":1,"q":2,"r":3}})j",
           R"j({"o":{"p":1},"rest":{"p":{"q":2,"r":3}}})j"},
      });
}

TEST(Shift, References) {
  check(
      Operation::shift,
      {
          {R"j({"a":{"b":{"c":"&2.&1.&0"}}})j", R"j({"a":{"b":{"c":5}}})j",
           R"j({"a":{"b":{"c":5}}})j"},
          {R"j({"a":{"b":{"c":"&(2).&(1,0)"}}})j", R"j({"a":{"b":{"c":5}}})j",
           R"j({"a":{"b":5}})j"},
          {R"j({"a":{"b-*":{"c":"v&(1,1)x.w&(1)"}}})j", R"j({"a":{"b-1":{"c":5}}})j",
           R"j({"v1x":{"wb-1":5}})j"},
          {R"j({"*":{"&1":"same.&","v":"out"}})j", R"j({"a":{"a":1,"b":2,"v":3}})j",
           R"j({"out":3})j"},
          {R"j({"*-*":{"x-&(1,2)":"got.&(1,1)"}})j", R"j({"p-q":{"x-q":1,"x-p":2}})j", R"j(FAIL)j"},
          {R"j({"a":{"b":"&7.x"}})j", R"j({"a":{"b":1}})j", R"j(FAIL)j"},
          {R"j({"a*":"&(0,2)"})j", R"j({"ab":1})j", R"j(FAIL)j"},
          {R"j({"items":{"*":{"n":"arr[&1].n"}}})j", R"j({"items":{"x":{"n":1}}})j", R"j(null)j"},
          {R"j({"items":{"*":{"n":"o.arr[&1].n"}}})j", R"j({"items":{"3":{"n":1},"1":{"n":2}}})j",
           R"j({"o":{"arr":[null,{"n":2},null,{"n":1}]}})j"},
      });
}

TEST(Shift, DollarKeys) {
  check(
      Operation::shift,
      {
          {R"j({"rating":{"*":{"$":"keys"}}})j", R"j({"rating":{"primary":1,"quality":{"x":1}}})j",
           R"j({"keys":["primary","quality"]})j"},
          {R"j({"rating":{"*":{"$":"k[]","@":"v[]"}}})j", R"j({"rating":{"a":1,"b":2}})j",
           R"j({"k":["a","b"],"v":[1,2]})j"},
          {R"j({"rating":{"*":{"x":{"$1":"parents","$(1,0)":"again.&1","$2":"top"}}}})j",
           R"j({"rating":{"p":{"x":1},"q":{"x":2}}})j", R"j(SPEC)j"},
          {R"j({"tag-*":{"$(0,1)":"names"}})j", R"j({"tag-a":1,"tag-b":{"z":1}})j",
           R"j({"names":["a","b"]})j"},
          {R"j({"a":{"$":"out.&1","@":"out.&"}})j", R"j({"a":5})j", R"j({"out":{"a":["a",5]}})j"},
      });
}

TEST(Shift, HashKeys) {
  check(
      Operation::shift,
      {
          {R"j({"hidden":{"true":{"#disabled":"state"},"false":{"#enabled":"state"}}})j",
           R"j({"hidden":true})j", R"j({"state":"disabled"})j"},
          {R"j({"hidden":{"true":{"#disabled":"state"},"false":{"#enabled":"state"}}})j",
           R"j({"hidden":false})j", R"j({"state":"enabled"})j"},
          {R"j({"v":{"12":{"#twelve":"t"},"1.5":{"#half":"t"},"text":{"#(a b)":"t"},"null":{"#n":"t"}}})j",
           R"j({"v":12})j", R"j({"t":"twelve"})j"},
          {R"j({"v":{"12":{"#twelve":"t"},"1.5":{"#half":"t"},"text":{"#(a b)":"t"},"null":{"#n":"t"}}})j",
           R"j({"v":1.50})j", R"j({"t":"half"})j"},
          {R"j({"v":{"12":{"#twelve":"t"},"text":{"#(a b)":"t.x"}}})j", R"j({"v":"text"})j",
           R"j({"t":{"x":"a b"}})j"},
          {R"j({"v":{"12":{"#twelve":"t"},"null":{"#n":"t"}}})j", R"j({"v":null})j", R"j(null)j"},
          {R"j({"#fixed":"type","id":"id"})j", R"j({"id":1})j", R"j({"type":"fixed","id":1})j"},
          {R"j({"people":{"*":{"#person":"list[&1].kind","name":"list[&1].name"}}})j",
           R"j({"people":[{"name":"a"},{"name":"b"}]})j",
           R"j({"list":[{"kind":"person","name":"a"},{"kind":"person","name":"b"}]})j"},
      });
}

TEST(Shift, HashIndexes) {
  check(Operation::shift,
        {
            {R"j({"photos":{"*":{"url":"list[#2].u","id":"list[#2].i"}}})j",
             R"j({"photos":{"x":{"url":"a","id":1},"y":{"url":"b","id":2}}})j",
             R"j({"list":[{"u":"a","i":1},{"u":"b","i":2}]})j"},
            {R"j({"photos":{"*":{"keep":{"true":{"@2":"list[#4]"}}}}})j",
             R"j({"photos":[{"keep":true,"n":1},{"keep":false,"n":2},{"keep":true,"n":3}]})j",
             R"j({"list":[{"keep":true,"n":1},null,{"keep":true,"n":3}]})j"},
            {R"j({"*":"l[#1]"})j", R"j({"a":1,"b":2})j", R"j({"l":[1,2]})j"},
            {R"j({"*":"l[#0]"})j", R"j({"a":1,"b":2})j", R"j({"l":[[1,2]]})j"},
        });
}

TEST(Shift, At) {
  check(
      Operation::shift,
      {
          {R"j({"a":{"@":"copy","b":"direct"}})j", R"j({"a":{"b":1}})j",
           R"j({"copy":{"b":1},"direct":1})j"},
          {R"j({"@":"orig","a":"x"})j", R"j({"a":1})j", R"j({"orig":{"a":1},"x":1})j"},
          {R"j({"@(0,a)":"x","@a.b":"y","@(a.b)":"z"})j", R"j({"a":{"b":2}})j", R"j(SPEC)j"},
          {R"j({"book":{"@(1,author)":"who","title":"&"}})j",
           R"j({"book":{"title":"T"},"author":"A"})j", R"j({"who":"A","title":"T"})j"},
          {R"j({"list":{"*":{"value":"@(1,key)"}}})j",
           R"j({"list":[{"key":"k1","value":1},{"key":"k2","value":2}]})j", R"j({"k1":1,"k2":2})j"},
          {R"j({"list":{"*":{"@value":"@key"}}})j",
           R"j({"list":[{"key":"k1","value":1},{"key":"k2","value":2},{"value":3}]})j",
           R"j({"k1":1,"k2":2})j"},
          {R"j({"list":{"*":{"value":"by.@(1,key).v"}}})j",
           R"j({"list":[{"key":"k1","value":1},{"key":5,"value":2},{"key":true,"value":3},{"key":null,"value":4},{"key":{},"value":5}]})j",
           R"j({"by":{"k1":{"v":1},"5":{"v":2},"true":{"v":3}}})j"},
          {R"j({"list":{"*":{"value":"o[@(1,pos)]"}}})j",
           R"j({"list":[{"pos":1,"value":"a"},{"pos":0,"value":"b"},{"pos":"x","value":"c"},{"pos":"2","value":"d"},{"pos":-1,"value":"e"}]})j",
           R"j({"o":["b","a","d"]})j"},
          {R"j({"list":{"*":{"@(2,meta.unit)":"units[&1]","n":"v[&1]"}}})j",
           R"j({"list":[{"n":1},{"n":2}],"meta":{"unit":"kg"}})j",
           R"j({"units":["kg","kg"],"v":[1,2]})j"},
          {R"j({"a":{"@(1,list[1])":"second","@(1,list.1)":"never"}})j",
           R"j({"a":1,"list":[5,6]})j", R"j({"second":6})j"},
          {R"j({"ids":{"*":{"@(2,names[&])":"out.&1"}}})j",
           R"j({"ids":["a","b"],"names":["x","y"]})j", R"j({"out":{"0":"x","1":"y"}})j"},
          {R"j({"keys":{"*":{"@(2,values.&)":"r.&1","$":"k"}}})j",
           R"j({"keys":{"p":1,"q":2},"values":{"p":"P"}})j", R"j({"r":{"p":"P"},"k":["p","q"]})j"},
          {R"j({"@(0,a)":{"b":"out","*":"rest.&"}})j", R"j({"a":{"b":1,"c":2}})j",
           R"j({"out":1,"rest":{"c":2}})j"},
          {R"j({"items":{"*":{"type":{"good":{"@(2,v)":"good[]"},"*":{"@2":"bad[]"}}}}})j",
           R"j({"items":[{"type":"good","v":1},{"type":"poor","v":2}]})j",
           R"j({"good":[1],"bad":[{"type":"poor","v":2}]})j"},
          {R"j({"a":{"@(9,x)":"y"}})j", R"j({"a":1})j", R"j(FAIL)j"},
          {R"j({"@(0,missing)":"x","a":"y"})j", R"j({"a":1})j", R"j({"y":1})j"},
          {R"j({"@(0,n)":"x"})j", R"j({"n":null})j", R"j({"x":null})j"},
          {R"j({"@1":"x"})j", R"j({"n":1})j", R"j({"x":{"n":1}})j"},
      });
}

TEST(Shift, Alternatives) {
  check(Operation::shift,
        {
            {R"j({"rating|Rating":"r"})j", R"j({"Rating":5})j", R"j({"r":5})j"},
            {R"j({"a|b":"&"})j", R"j({"a":1,"b":2})j", R"j({"a":1,"b":2})j"},
            {R"j({"a|b|":"x.&"})j", R"j({"a":1,"b":2,"":3})j", R"j({"x":{"a":1,"b":2}})j"},
            {R"j({"x":{"a*|*b":"&(0,1)"}})j", R"j({"x":{"a1":1,"2b":2}})j", R"j({"1":1,"2":2})j"},
        });
}

TEST(Shift, Escapes) {
  check(Operation::shift,
        {
            {R"j({"\\@type":"t","\\$ref":"r","\\*":"s","\\&amp":"a","\\#h":"h"})j",
             R"j({"@type":1,"$ref":2,"*":3,"&amp":4,"#h":5})j",
             R"j({"t":1,"r":2,"s":3,"a":4,"h":5})j"},
            {R"j({"a":"\\@x.\\$y.\\*z"})j", R"j({"a":1})j", R"j({"@x":{"$y":{"*z":1}}})j"},
            {R"j({"a":"x\\[0\\]y"})j", R"j({"a":1})j", R"j({"x[0]y":1})j"},
            {R"j({"a\\.b":"x"})j", R"j({"a.b":1,"a":{"b":2}})j", R"j({"x":1})j"},
            {R"j({"a":"b\\\\c"})j", R"j({"a":1})j", R"j({"bc":1})j"},
            {R"j({"x\\-*":"y.&(0,1)"})j", R"j({"x-1":1})j", R"j({"y":{"1":1}})j"},
        });
}

TEST(Shift, ScalarsAsKeys) {
  check(Operation::shift,
        {
            {R"j({"a":{"*":"x.&"}})j", R"j({"a":"text"})j", R"j({"x":{"text":null}})j"},
            {R"j({"a":{"*":{"$":"x"}}})j", R"j({"a":5})j", R"j({"x":"5"})j"},
            {R"j({"a":{"*":"x"}})j", R"j({"a":true})j", R"j({"x":null})j"},
            {R"j({"a":{"1":"x","*":"y"}})j", R"j({"a":1})j", R"j({"x":null})j"},
            {R"j({"a":{"yes":"x"}})j", R"j({"a":"yes"})j", R"j({"x":null})j"},
            {R"j({"*":"x"})j", R"j("text")j", R"j({"x":null})j"},
            {R"j({"*":"x"})j", R"j(5)j", R"j({"x":null})j"},
            {R"j({"*":"x"})j", R"j(null)j", R"j(null)j"},
            {R"j({"@":"x"})j", R"j([1,2])j", R"j({"x":[1,2]})j"},
        });
}

TEST(Shift, Mismatches) {
  check(Operation::shift,
        {
            {R"j({"a":"x","b":"x.y"})j", R"j({"a":1,"b":2})j", R"j({"x":1})j"},
            {R"j({"a":"x","b":"x[0]"})j", R"j({"a":{"q":1},"b":2})j", R"j({"x":{"q":1}})j"},
            {R"j({"a":"x[0]","b":"x.y"})j", R"j({"a":1,"b":2})j", R"j({"x":[1]})j"},
            {R"j({"a":"x.y","b":"x"})j", R"j({"a":1,"b":2})j", R"j({"x":[{"y":1},2]})j"},
            {R"j({"a":"x[0]","b":"x[0]","c":"x"})j", R"j({"a":1,"b":2,"c":3})j",
             R"j({"x":[[1,2],3]})j"},
            {R"j({"a":"x","b":"x"})j", R"j({"a":null,"b":2})j", R"j({"x":2})j"},
            {R"j({"a":"x","b":"x"})j", R"j({"a":1,"b":null})j", R"j({"x":[1,null]})j"},
        });
}

TEST(Shift, TypicalFlows) {
  check(
      Operation::shift,
      {
          {R"j({"device":"sensor.id","ts":"sensor.time","readings":{"*":{"name":"data[&1].metric","val":"data[&1].value"}}})j",
           R"j({"device":"d-1","ts":1700000000000,"readings":[{"name":"t","val":21.50},{"name":"h","val":40}]})j",
           R"j({"sensor":{"id":"d-1","time":1700000000000},"data":[{"metric":"t","value":21.5},{"metric":"h","value":40}]})j"},
          {R"j({"results":{"*":{"user":{"id":"users[&2].userId","email":"users[&2].mail"},"@(1,total)":"grand"}}})j",
           R"j({"total":2,"results":[{"user":{"id":1,"email":"a@x"}},{"user":{"id":2,"email":"b@x"}}]})j",
           R"j({"users":[{"userId":1,"mail":"a@x"},{"userId":2,"mail":"b@x"}]})j"},
          {R"j({"*":{"$":"&1.name","@":"&1.value"}})j", R"j({"cpu":0.5,"mem":1024})j",
           R"j({"cpu":{"name":"cpu","value":0.5},"mem":{"name":"mem","value":1024}})j"},
          {R"j({"data":{"*":{"id":"&2[&1].id","attributes":{"*":"&3[&2].&0"}}}})j",
           R"j({"data":[{"id":"1","attributes":{"a":1,"b":2}},{"id":"2","attributes":{"a":3}}]})j",
           R"j({"data":[{"id":"1","a":1,"b":2},{"id":"2","a":3}]})j"},
          {R"j({"orders":{"*":{"lines":{"*":{"@(2,id)":"rows[#4].order","sku":"rows[#4].sku"}}}}})j",
           R"j({"orders":[{"id":"o1","lines":[{"sku":"a"},{"sku":"b"}]},{"id":"o2","lines":[{"sku":"c"}]}]})j",
           R"j({"rows":[{"order":["o1","o1"],"sku":["a","b"]},{"order":"o2","sku":"c"}]})j"},
          {R"j({"a_*":"fields[&(0,1)]"})j", R"j({"a_0":"x","a_2":"z","a_q":"n"})j",
           R"j({"fields":["x",null,"z"]})j"},
      });
}

TEST(Shift, RefusesBadSpecs) {
  refuse(Operation::shift, {
                               R"j("text")j",
                               R"j([])j",
                               R"j(null)j",
                               R"j({})j",
                               R"j({"a":{}})j",
                               R"j({"a":5})j",
                               R"j({"a":[1]})j",
                               R"j({"a":"x*"})j",
                               R"j({"a":"$x"})j",
                               R"j({"a":"x.@"})j",
                               R"j({"a":"@.x"})j",
                               R"j({"a":"@(1,x"})j",
                               R"j({"a":"@(1,(x))"})j",
                               R"j({"a":"x[a]"})j",
                               R"j({"a":"x[-1]"})j",
                               R"j({"a":"[[1]]"})j",
                               R"j({"a":"x[1"})j",
                               R"j({"@":{"a":"b"}})j",
                               R"j({"$":{"a":"b"}})j",
                               R"j({"a@b":"c"})j",
                               R"j({"a$b":"c"})j",
                               R"j({"a#b":"c"})j",
                               R"j({"#":"c"})j",
                               R"j({"&*":"c"})j",
                               R"j({"a":"b","a|c":"d"})j",
                               R"j({"&1":{"x":"y"},"&(1,0)":{"x":"z"}})j",
                               R"j({"a":"&(1"})j",
                               R"j({"a":"#1"})j",
                               R"j({"a":"&(1,2,3)"})j",
                               R"j({"@(1x,a)":"b"})j",
                               R"j({"@()":"b"})j",
                               R"j({"**":"x"})j",
                               R"j({"a**":"x"})j",
                               R"j({"\\*a*":"x"})j",
                               R"j({"[1]":"x","*":"y"})j",
                               R"j({"@(0,*)":"x"})j",
                               R"j({"@@a":"x"})j",
                               R"j({"a":"@(1,a@b)"})j",
                               R"j({"a":true})j",
                           });
}

}  // namespace
}  // namespace weir::jolt
