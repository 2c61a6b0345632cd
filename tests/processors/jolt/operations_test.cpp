#include <gtest/gtest.h>

#include "tests/processors/jolt/jolt_cases.h"

namespace weir::jolt {
namespace {

TEST(Default, Default) {
  check(
      Operation::default_values,
      {
          {R"j({"extra":"e","id":99})j", R"j({"id":7,"none":null})j",
           R"j({"id":7,"none":null,"extra":"e"})j"},
          {R"j({"a":{"b":{"c":1}}})j", R"j({"a":{"x":1}})j", R"j({"a":{"x":1,"b":{"c":1}}})j"},
          {R"j({"a":{"b":1}})j", R"j({"a":5})j", R"j({"a":5})j"},
          {R"j({"a":{"b":1}})j", R"j({"a":[1]})j", R"j({"a":[1]})j"},
          {R"j({"*":{"k":"d"}})j", R"j({"a":{},"b":{"k":1},"c":null,"d":5})j",
           R"j({"a":{"k":"d"},"b":{"k":1},"c":{"k":"d"},"d":5})j"},
          {R"j({"a|b":"d"})j", R"j({"a":null,"c":null})j", R"j({"a":"d","c":null})j"},
          {R"j({"a|b":{"k":"d"}})j", R"j({"b":{"x":1}})j", R"j({"b":{"x":1,"k":"d"}})j"},
          {R"j({"list[]":{"0":"a","2":"c"}})j", R"j({"list":[null,"x"]})j",
           R"j({"list":["a","x","c"]})j"},
          {R"j({"list[]":{"0":"a","2":"c"}})j", R"j({})j", R"j({"list":["a",null,"c"]})j"},
          {R"j({"list[]":{"*":{"k":"d"}}})j", R"j({"list":[{},{"k":1},null,5]})j",
           R"j({"list":[{"k":"d"},{"k":1},{"k":"d"},5]})j"},
          {R"j({"list[]":{"0|3":{"k":"d"}}})j", R"j({"list":[{},{}]})j",
           R"j({"list":[{"k":"d"},{}]})j"},
          {R"j({"list[]":{"1":{"k":"d"},"*":{"m":"e"}}})j", R"j({"list":[]})j",
           R"j({"list":[{"m":"e"},{"k":"d","m":"e"}]})j"},
          {R"j({"list[]":{"0":"a"}})j", R"j({"list":{"x":1}})j", R"j({"list":{"x":1}})j"},
          {R"j({"list[]":[1,2]})j", R"j({})j", R"j({"list":[1,2]})j"},
          {R"j({"0":"a","2":"c"})j", R"j([null])j", R"j(["a",null,"c"])j"},
          {R"j({"*":{"k":"d"}})j", R"j([{},{"k":1}])j", R"j([{"k":"d"},{"k":1}])j"},
          {R"j({"a":"x"})j", R"j([1])j", R"j(FAIL)j"},
          {R"j({"a":"x"})j", R"j(null)j", R"j({"a":"x"})j"},
          {R"j({"a":"x"})j", R"j(5)j", R"j(5)j"},
          {R"j({"a":[1,{"b":2}],"n":null})j", R"j({"a":null})j", R"j({"a":[1,{"b":2}],"n":null})j"},
          {R"j({"a":"lit","*":"star"})j", R"j({"a":null,"b":null})j",
           R"j({"a":"lit","b":"star"})j"},
      });
}

TEST(Remove, Remove) {
  check(
      Operation::remove,
      {
          {R"j({"name":{"last":""},"price":""})j",
           R"j({"id":7,"name":{"first":"Ann","last":"Lee"},"price":12.5})j",
           R"j({"id":7,"name":{"first":"Ann"}})j"},
          {R"j({"a":"","missing":""})j", R"j({"a":1,"b":2})j", R"j({"b":2})j"},
          {R"j({"a*":""})j", R"j({"a":1,"ab":2,"abc":3,"b":4})j", R"j({"a":1,"b":4})j"},
          {R"j({"*-x-*":""})j", R"j({"a-x-b":1,"-x-":2,"a-x":3})j", R"j({"-x-":2,"a-x":3})j"},
          {R"j({"*_*_*":{"k":""}})j", R"j({"a_b_c":{"k":1,"l":2},"a_b":{"k":1}})j",
           R"j({"a_b_c":{"l":2},"a_b":{"k":1}})j"},
          {R"j({"a|b":"","c|d":{"x":""}})j", R"j({"a":1,"b":2,"d":{"x":1,"y":2}})j",
           R"j({"d":{"y":2}})j"},
          {R"j({"*":""})j", R"j({"a":1,"b":{}})j", R"j({})j"},
          {R"j({"list":{"0":"","2":"","9":""}})j", R"j({"list":["a","b","c","d"]})j",
           R"j({"list":["b","d"]})j"},
          {R"j({"list":{"*":{"secret":""}}})j",
           R"j({"list":[{"secret":1,"open":2},5,null,{"secret":1}]})j",
           R"j({"list":[{"open":2},5,null,{}]})j"},
          {R"j({"list":{"*":""}})j", R"j({"list":[1,2]})j", R"j({"list":[]})j"},
          {R"j({"list":{"a*":"","x":""}})j", R"j({"list":[1,2]})j", R"j({"list":[1,2]})j"},
          {R"j({"list":{"1":{"k":""}}})j", R"j({"list":[{"k":1},{"k":2}]})j",
           R"j({"list":[{"k":1},{}]})j"},
          {R"j({"*":{"a":""}})j", R"j([{"a":1,"b":2}])j", R"j([{"b":2}])j"},
          {R"j({"0":""})j", R"j([1,2])j", R"j([2])j"},
          {R"j({"a":"  "})j", R"j({"a":1})j", R"j({})j"},
          {R"j({"a":""})j", R"j(5)j", R"j(5)j"},
          {R"j({"a":""})j", R"j(null)j", R"j(null)j"},
          {R"j({"@x":"","$y":"","a.b":""})j", R"j({"@x":1,"$y":2,"a.b":3,"z":4})j", R"j({"z":4})j"},
          {R"j({})j", R"j({"a":1})j", R"j({"a":1})j"},
      });
}

TEST(Remove, RefusesBadSpecs) {
  refuse(Operation::remove, {
                                R"j("x")j",
                                R"j(null)j",
                                R"j({"a":"x"})j",
                                R"j({"a":1})j",
                                R"j({"a":null})j",
                                R"j({"a":[""]})j",
                                R"j({"a**":""})j",
                            });
}

TEST(Cardinality, Cardinality) {
  check(
      Operation::cardinality,
      {
          {R"j({"a":"ONE"})j", R"j({"a":[1,2],"b":1})j", R"j({"a":1,"b":1})j"},
          {R"j({"a":"ONE"})j", R"j({"a":[]})j", R"j({"a":null})j"},
          {R"j({"a":"ONE"})j", R"j({"a":5})j", R"j({"a":5})j"},
          {R"j({"a":"MANY"})j", R"j({"a":5,"b":1})j", R"j({"b":1,"a":[5]})j"},
          {R"j({"a":"MANY"})j", R"j({"a":[1]})j", R"j({"a":[1]})j"},
          {R"j({"a":"MANY"})j", R"j({"a":null})j", R"j({"a":[]})j"},
          {R"j({"a":"MANY"})j", R"j({"a":{"x":1}})j", R"j({"a":[{"x":1}]})j"},
          {R"j({"a":"MANY"})j", R"j({"b":1})j", R"j({"b":1})j"},
          {R"j({"*":{"id":"ONE"}})j", R"j({"p":{"id":[1,2]},"q":{"id":3},"r":5})j",
           R"j({"p":{"id":1},"q":{"id":3},"r":5})j"},
          {R"j({"list":{"*":{"tags":"MANY"}}})j", R"j({"list":[{"tags":"x"},{"tags":["y"]},{}]})j",
           R"j({"list":[{"tags":["x"]},{"tags":["y"]},{}]})j"},
          {R"j({"list":{"*":"ONE"}})j", R"j({"list":[[1,2]]})j", R"j(FAIL)j"},
          {R"j({"a":{"@":"ONE","b":"MANY"}})j", R"j({"a":[{"b":1},{"b":2}]})j",
           R"j({"a":{"b":[1]}})j"},
          {R"j({"a":{"@":"ONE","b":"MANY"}})j", R"j({"a":{"b":1}})j", R"j({"a":{"b":1}})j"},
          {R"j({"a":{"@":"MANY","*":{"b":"MANY"}}})j", R"j({"a":{"b":1}})j",
           R"j({"a":[{"b":[1]}]})j"},
          {R"j({"a-*":"ONE"})j", R"j({"a-x":[1],"a-":[2],"b":[3]})j",
           R"j({"a-x":1,"a-":[2],"b":[3]})j"},
          {R"j({"*":"MANY"})j", R"j({"a":1})j", R"j({"a":[1]})j"},
          {R"j({"a":{"5":"ONE"}})j", R"j({"a":5})j", R"j(FAIL)j"},
          {R"j({"*":{"x":"ONE"}})j", R"j([{"x":[1,2]}])j", R"j([{"x":1}])j"},
          {R"j({"a":"ONE"})j", R"j(null)j", R"j(null)j"},
          {R"j({"a":"ONE"})j", R"j(5)j", R"j(5)j"},
          {R"j({"@":"ONE","a":"ONE"})j", R"j({"a":[1]})j", R"j({"a":[1]})j"},
          {R"j({"a":"ONE"})j", R"j({"a":[[1,2],3]})j", R"j({"a":[1,2]})j"},
          {R"j({"*":"MANY"})j",
           R"j({"a":1,"b":"x","zz":true,"k":null,"long name":2.5,"m":{"q":1,"r":[1,2]},"é😀":5000000000,"l":[1]})j",
           R"j({"k":[],"l":[1],"a":[1],"long name":[2.5],"é😀":[5000000000],"b":["x"],"m":[{"q":1,"r":[1,2]}],"zz":[true]})j"},
          {R"j({"p":{"*":"MANY"}})j",
           R"j({"p":{"b":1,"a":1,"c":1,"e":1,"d":1,"g":1,"f":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1}})j",
           R"j({"p":{"a":[1],"c":[1],"b":[1],"e":[1],"d":[1],"g":[1],"f":[1],"i":[1],"h":[1],"k":[1],"j":[1],"m":[1],"l":[1],"n":[1]}})j"},
      });
}

TEST(Cardinality, RefusesBadSpecs) {
  refuse(Operation::cardinality, {
                                     R"j("x")j",
                                     R"j(null)j",
                                     R"j({})j",
                                     R"j({"a":{}})j",
                                     R"j({"a":"TWO"})j",
                                     R"j({"a":"one"})j",
                                     R"j({"a":1})j",
                                     R"j({"@":{"a":"ONE"}})j",
                                     R"j({"@x":"ONE"})j",
                                     R"j({"a*":"ONE","*":"MANY"})j",
                                     R"j({"a":null})j",
                                 });
}

TEST(Sort, Sort) {
  check(Operation::sort,
        {
            {R"j(null)j", R"j({"b":1,"a":{"d":1,"c":[{"f":1,"e":2}]},"~z":0,"B":2,"é":3,"~a":1})j",
             R"j({"~a":1,"~z":0,"B":2,"a":{"c":[{"e":2,"f":1}],"d":1},"b":1,"é":3})j"},
            {R"j(null)j", R"j([3,1,{"b":1,"a":2}])j", R"j([3,1,{"a":2,"b":1}])j"},
            {R"j(null)j", R"j(5)j", R"j(5)j"},
        });
}

TEST(Chain, Chain) {
  check(
      Operation::chain,
      {
          {R"j([{"operation":"shift","spec":{"a":"x.a","b":"x.b"}},{"operation":"default","spec":{"x":{"c":3}}},{"operation":"remove","spec":{"x":{"b":""}}},{"operation":"sort"}])j",
           R"j({"b":2,"a":1})j", R"j({"x":{"a":1,"c":3}})j"},
          {R"j([{"operation":"modify-overwrite-beta","spec":{"n":"=toInteger"}},{"operation":"modify-default-beta","spec":{"m":"=intSum(@(1,n),1)"}},{"operation":"modify-define-beta","spec":{"k":"new"}},{"operation":"cardinality","spec":{"m":"MANY"}}])j",
           R"j({"n":"5"})j", R"j({"n":5,"k":"new","m":[6]})j"},
          {R"j([{"operation":"com.bazaarvoice.jolt.Shiftr","spec":{"a":"b"}},{"operation":"com.bazaarvoice.jolt.Sortr"}])j",
           R"j({"a":1})j", R"j({"b":1})j"},
          {R"j([{"operation":"shift","spec":{"nope":"b"}},{"operation":"default","spec":{"z":1}}])j",
           R"j({"a":1})j", R"j({"z":1})j"},
          {R"j([{"operation":"shift","spec":{"nope":"b"}},{"operation":"shift","spec":{"*":"b"}}])j",
           R"j({"a":1})j", R"j(null)j"},
          {R"j([{"operation":"shift","spec":{"list":{"*":{"k":"k[]","v":"v[]"}}}},{"operation":"modify-overwrite-beta","spec":{"total":"=intSum(@(1,v))","k":"=join(',',@(1,k))"}}])j",
           R"j({"list":[{"k":"a","v":1},{"k":"b","v":2}]})j",
           R"j({"k":"a,b","v":[1,2],"total":3})j"},
      });
}

TEST(Chain, RefusesBadSpecs) {
  refuse(Operation::chain,
         {
             R"j([])j",
             R"j({})j",
             R"j("x")j",
             R"j([5])j",
             R"j([{}])j",
             R"j([{"operation":"nosuch","spec":{}}])j",
             R"j([{"operation":5,"spec":{}}])j",
             R"j([{"operation":"shift"}])j",
             R"j([{"operation":"shift","spec":{}}])j",
             R"j([{"operation":"default","spec":{"a":1}},{"operation":"remove","spec":{"a":1}}])j",
             R"j([{"operation":"chain","spec":[]}])j",
             R"j([{"operation":" ","spec":{}}])j",
         });
}

}  // namespace
}  // namespace weir::jolt
