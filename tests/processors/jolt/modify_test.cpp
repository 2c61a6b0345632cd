#include <gtest/gtest.h>

#include "tests/processors/jolt/jolt_cases.h"

namespace weir::jolt {
namespace {

TEST(Modify, Literals) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"a":1,"b":"text","c":null,"d":true,"e":[1,"x"],"f":{}})j", R"j({"a":"old","z":1})j",
           R"j({"a":1,"z":1,"b":"text","c":null,"d":true,"e":1,"f":{}})j"},
          {R"j({"a":[],"b":{"c":[1,2,{"d":1}]}})j", R"j({"q":1})j",
           R"j({"q":1,"a":[],"b":{"c":1}})j"},
          {R"j({"x":{"y":{"z":"deep"}}})j", R"j({})j", R"j({"x":{"y":{"z":"deep"}}})j"},
          {R"j({"x":{"y":{"z":"deep"}}})j", R"j({"x":{"y":5}})j", R"j({"x":{"y":5}})j"},
          {R"j({"x":{"y":"v"}})j", R"j({"x":[1]})j", R"j({"x":[1]})j"},
          {R"j({"*":"same"})j", R"j({"a":1,"b":{"c":2}})j", R"j({"a":"same","b":"same"})j"},
          {R"j({"a*":{"b":"v"}})j", R"j({"a1":{},"a2":{"b":0},"a3":5,"x":{}})j",
           R"j({"a1":{"b":"v"},"a2":{"b":"v"},"a3":5,"x":{}})j"},
      });
}

TEST(Modify, References) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"x":"@(1,a)"})j", R"j({"a":{"b":1}})j", R"j({"a":{"b":1},"x":{"b":1}})j"},
          {R"j({"x":"@(1,a.b)","y":"@(1,list[1])","z":"@(1,missing)"})j",
           R"j({"a":{"b":1},"list":[5,6]})j", R"j({"a":{"b":1},"list":[5,6],"x":1,"y":6})j"},
          {R"j({"p":{"q":"@(2,top)"}})j", R"j({"top":7,"p":{}})j", R"j({"top":7,"p":{"q":7}})j"},
          {R"j({"*":{"name":"@(1,first)","parent":"@(2,id)"}})j", R"j({"id":1,"k":{"first":"A"}})j",
           R"j({"id":1,"k":{"first":"A","name":"A","parent":1}})j"},
          {R"j({"list":{"*":{"idx":"&1"}}})j", R"j({"list":[{},{}]})j",
           R"j({"list":[{"idx":"&1"},{"idx":"&1"}]})j"},
          {R"j({"x":"@(1,a.&)"})j", R"j({"a":{"x":"found"}})j",
           R"j({"a":{"x":"found"},"x":"found"})j"},
          {R"j({"self":"@(0)"})j", R"j({"self":5})j", R"j({"self":5})j"},
          {R"j({"x":"@(9,a)"})j", R"j({"a":1})j", R"j({"a":1})j"},
          {R"j({"x":["@(1,no)","@(1,a)","=noop","fallback"]})j", R"j({"a":1})j",
           R"j({"a":1,"x":1})j"},
          {R"j({"x":["@(1,no)","=toInteger(@(1,bad))","fallback"]})j", R"j({"bad":"q"})j",
           R"j({"bad":"q","x":"fallback"})j"},
          {R"j({"x":"^y","z":["^","d"]})j", R"j({"a":1})j", R"j({"a":1,"z":{}})j"},
      });
}

TEST(Modify, Arrays) {
  check(Operation::modify_overwrite,
        {
            {R"j({"list":{"[0]":"first","[3]":"fourth"}})j", R"j({"list":[1,2]})j",
             R"j({"list":["first",2,null,"fourth"]})j"},
            {R"j({"list":{"[1]":{"a":"=toString"},"*":"=toString"}})j",
             R"j({"list":[1,{"a":5},3]})j", R"j({"list":["1","{a=5}","3"]})j"},
            {R"j({"list":{"*":"=toString"}})j", R"j({"list":[1,null,{"a":1.5},[2]]})j",
             R"j({"list":["1",null,"{a=1.5}",["2"]]})j"},
            {R"j({"list":{"[5]?":"x","[0]?":"y"}})j", R"j({"list":[1]})j", R"j({"list":["y"]})j"},
            {R"j({"list":{"[1]":"x"}})j", R"j({})j", R"j({"list":[null,"x"]})j"},
            {R"j({"list":{"[1]":"x"}})j", R"j({"list":{"a":1}})j", R"j({"list":{"a":1}})j"},
            {R"j({"*":{"[0]":"z"}})j", R"j({"a":[1],"b":{},"c":[]})j",
             R"j({"a":["z"],"b":{},"c":["z"]})j"},
            {R"j({"[0]":"x"})j", R"j([1,2])j", R"j(["x",2])j"},
            {R"j({"*":{"n":"=size(@(1,l))"}})j", R"j([{"l":[1,2]},{"l":"abc"}])j",
             R"j([{"l":[1,2],"n":2},{"l":"abc","n":3}])j"},
            {R"j({"[0]":{"[1]":{"k":"v"}}})j", R"j([[1,null]])j", R"j([[1,{"k":"v"}]])j"},
            {R"j({"a":{"[0]":{"b":"c"}}})j", R"j({"a":[]})j", R"j({"a":[{"b":"c"}]})j"},
        });
}

TEST(Modify, Signs) {
  check(Operation::modify_overwrite,
        {
            {R"j({"~a":"d","+b":"o","_c":"n"})j", R"j({"a":null,"b":1,"c":null})j",
             R"j({"a":"d","b":"o","c":null})j"},
            {R"j({"~a":"d","_c":"n"})j", R"j({"a":1})j", R"j({"a":1,"c":"n"})j"},
            {R"j({"a?":"x","b?":"y"})j", R"j({"a":1})j", R"j({"a":"x"})j"},
            {R"j({"a?":{"b":"x"},"c?":{"d":"y"}})j", R"j({"a":{}})j", R"j({"a":{"b":"x"}})j"},
            {R"j({"~a?":"x"})j", R"j({"a":null})j", R"j({"a":"x"})j"},
            {R"j({"*?":"=toString"})j", R"j({"a":1,"b":null})j", R"j({"a":"1","b":null})j"},
            {R"j({"a|b":"x"})j", R"j({"b":1})j", R"j({"b":"x","a":"x"})j"},
        });
}

TEST(Modify, TextFunctions) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"a":"=toLower","b":"=toUpper","c":"=trim"})j",
           R"j({"a":"ÄB","b":"straße","c":"  x y\t"})j", R"j({"a":"äb","b":"STRASSE","c":"x y"})j"},
          {R"j({"a":"=toLower(@(1,b))","c":"=toUpper(@(1,n))","d":"=toUpper('x')"})j",
           R"j({"b":"XY","n":5})j", R"j({"b":"XY","n":5,"a":"xy","d":"X"})j"},
          {R"j({"l":"=toUpper"})j", R"j({"l":["a",1,null,"b"]})j", R"j({"l":["A",1,null,"B"]})j"},
          {R"j({"x":"=concat(@(1,a),'-',@(1,b))","y":"=concat(@(1,a))","z":"=concat(@(1,l))"})j",
           R"j({"a":"p","b":5,"l":["q",1.50,null,true,{"k":[1]}]})j",
           R"j({"a":"p","b":5,"l":["q",1.5,null,true,{"k":[1]}],"x":"p-5","z":"q1.5true{k=[1]}"})j"},
          {R"j({"x":"=concat('a,b','(c)',d,true,5,1.0,'')","y":"=concat()","z":"=concat"})j",
           R"j({"z":["a","b"]})j", R"j({"z":"ab","x":"a,b(c)dtrue51.0"})j"},
          {R"j({"x":"=concat(@(1,no),'x',@(1,null))"})j", R"j({"null":null})j",
           R"j({"null":null,"x":"x"})j"},
          {R"j({"x":"=join(',',@(1,l))","y":"=join('-',@(1,a),@(1,b))","z":"=join(', ',@(1,e))","w":"=join(',',@(1,a))","v":"=join(',')"})j",
           R"j({"l":["a",null,"","b",1,""],"a":"p","b":"q","e":[]})j",
           R"j({"l":["a",null,"","b",1,""],"a":"p","b":"q","e":[],"x":"a,b,1,","y":"p-q","z":""})j"},
          {R"j({"x":"=join('',@(1,l))","y":"=join(',',@(1,one))"})j",
           R"j({"l":["a","b"],"one":["z"]})j", R"j({"l":["a","b"],"one":["z"],"x":"ab","y":"z"})j"},
          {R"j({"x":"=split(',',@(1,s))","y":"=split('[ ;]+',@(1,t))","z":"=split(',',@(1,n))","w":"=split('',@(1,s))"})j",
           R"j({"s":"a,b,,c,,","t":"p ; q;r","n":5})j",
           R"j({"s":"a,b,,c,,","t":"p ; q;r","n":5,"x":["a","b","","c"],"y":["p","q","r"],"w":["a",",","b",",",",","c",",",","]})j"},
          {R"j({"x":"=split('-',@(1,l))","y":"=split(',',@(1,empty))","z":"=split(',',@(1,only))"})j",
           R"j({"l":["a-b","c",5],"empty":"","only":",,"})j",
           R"j({"l":["a-b","c",5],"empty":"","only":",,","x":[["a","b"],["c"],5],"y":[""],"z":[]})j"},
          {R"j({"x":"=split('|',@(1,s))","y":"=split('\\\\.',@(1,d))","z":"=split('.',@(1,d))"})j",
           R"j({"s":"a|b","d":"a.b"})j",
           R"j({"s":"a|b","d":"a.b","x":["a","|","b"],"y":["a.b"],"z":[]})j"},
          {R"j({"x":"=substring(@(1,s),1,3)","y":"=substring(@(1,s),2,9)","z":"=substring(@(1,s),3,3)","w":"=substring(@(1,s),0,4)","v":"=substring(@(1,n),0,1)"})j",
           R"j({"s":"añbc","n":123})j", R"j({"s":"añbc","n":123,"x":"ñb","w":"añbc"})j"},
          {R"j({"x":"=leftPad(@(1,a),5,'0')","y":"=rightPad(@(1,a),4,'.')","z":"=leftPad(@(1,a),1,'0')","w":"=leftPad(@(1,a),4,'ab')","v":"=leftPad(@(1,n),4,'0')","u":"=leftPad(@(1,a),501,'0')","t":"=leftPad(@(1,a),4)"})j",
           R"j({"a":"ab","n":7})j", R"j({"a":"ab","n":7,"x":"000ab","y":"ab..","z":"ab"})j"},
      });
}

TEST(Modify, NumberFunctions) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"a":"=toInteger","b":"=toInteger","c":"=toInteger","d":"=toInteger","e":"=toInteger","f":"=toInteger"})j",
           R"j({"a":"5","b":5.9,"c":"-7.9","d":"x","e":true,"f":4294967297})j",
           R"j({"a":5,"b":5,"c":-7,"d":"x","e":true,"f":1})j"},
          {R"j({"a":"=toLong","b":"=toLong","c":"=toLong"})j",
           R"j({"a":"5","b":5.9,"c":"9999999999"})j", R"j({"a":5,"b":5,"c":9999999999})j"},
          {R"j({"a":"=toDouble","b":"=toDouble","c":"=toDouble","d":"=toDouble"})j",
           R"j({"a":"5","b":5,"c":"1e3","d":"1.5d"})j",
           R"j({"a":5.0,"b":5.0,"c":1000.0,"d":1.5})j"},
          {R"j({"a":"=toInteger(@(1,l))","b":"=toDouble(@(1,l))"})j",
           R"j({"l":["1",2.7,null,"q"]})j",
           R"j({"l":["1",2.7,null,"q"],"a":[1,2,null,"q"],"b":[1.0,2.7,null,"q"]})j"},
          {R"j({"a":"=min(@(1,l))","b":"=max(@(1,l))","c":"=max(1,2.5)","d":"=max(1,2.5,7)","e":"=min('3',2,x)","f":"=max(@(1,s))","g":"=max(@(1,n))","h":"=min(2.5,2)","i":"=max(5000000000,3)"})j",
           R"j({"l":[3,"7",1.5,null],"s":"x","n":4})j",
           R"j({"l":[3,"7",1.5,null],"s":"x","n":4,"a":1.5,"b":7,"c":2.5,"d":7,"e":2,"g":4,"h":2,"i":5000000000})j"},
          {R"j({"a":"=max(2.2,2.7)","b":"=min(2.2,2.7)","c":"=max()","d":"=min(true)","e":"=max(-1.5,-2.5)"})j",
           R"j({})j", R"j({"a":2.7,"b":2.2,"e":-1.5})j"},
          {R"j({"a":"=abs","b":"=abs","c":"=abs","d":"=abs","e":"=abs(-3,-4.5)","f":"=abs(x)"})j",
           R"j({"a":-5,"b":"-2.5","c":[-1,"-2",null],"d":-9000000000})j",
           R"j({"a":5,"b":2.5,"c":[1,2,null],"d":9000000000,"e":[3,4.5]})j"},
          {R"j({"a":"=avg(@(1,l))","b":"=avg(1,2)","c":"=avg(@(1,n))","d":"=avg(x,y)"})j",
           R"j({"l":[1,"2",null,6.0],"n":5})j",
           R"j({"l":[1,"2",null,6.0],"n":5,"a":3.0,"b":1.5})j"},
          {R"j({"a":"=intSum(@(1,l))","b":"=intSum(1,2,'3')","c":"=longSum(1,2)","d":"=doubleSum(1,2.5)","e":"=intSum(2147483647,1)","f":"=intSum(1.9,1.9)","g":"=intSum(@(1,n))"})j",
           R"j({"l":[1,"2","x"],"n":5})j",
           R"j({"l":[1,"2","x"],"n":5,"a":3,"b":6,"c":3,"d":3.5,"e":-2147483648,"f":2})j"},
          {R"j({"a":"=intSubtract(5,3)","b":"=intSubtract(5,3.0)","c":"=doubleSubtract(5.5,3.0)","d":"=doubleSubtract(5,3)","e":"=longSubtract(5,3)","f":"=longSubtract(5000000000,4000000000)","g":"=intSubtract(1,2,3)","h":"=intSubtract('5','3')"})j",
           R"j({})j", R"j({"a":2,"c":2.5,"f":1000000000})j"},
          {R"j({"a":"=divide(@(1,x),@(1,y))","b":"=divide(1,3)","c":"=divide(1,0)","d":"=divide('9','2')","e":"=divide(1,2,3)"})j",
           R"j({"x":6,"y":3})j", R"j({"x":6,"y":3,"a":2.0,"b":0.3333333333333333,"d":4.5})j"},
          {R"j({"a":"=divideAndRound(2,1,3)","b":"=divideAndRound(0,7,2)","c":"=divideAndRound(2,1,8)","d":"=divideAndRound(1,-5,100)","e":"=divideAndRound(2,@(1,l))","f":"=divideAndRound(-1,155,1)","g":"=divideAndRound(2,1)","h":"=divideAndRound(2,999.999,1)","i":"=divideAndRound(2,1,0)"})j",
           R"j({"l":[10,4]})j",
           R"j({"l":[10,4],"a":0.33,"b":4.0,"c":0.13,"d":-0.1,"e":2.5,"f":160.0,"h":1000.0})j"},
          {R"j({"a":"=toLong","b":"=longSubtract(@(1,a),@(1,c))","c":"=toLong"})j",
           R"j({"a":5,"c":3})j", R"j({"a":5,"c":3})j"},
      });
}

TEST(Modify, ValueFunctions) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"a":"=toBoolean","b":"=toBoolean","c":"=toBoolean","d":"=toBoolean","e":"=toBoolean"})j",
           R"j({"a":"TRUE","b":"false","c":"yes","d":1,"e":true})j",
           R"j({"a":true,"b":false,"c":"yes","d":1,"e":true})j"},
          {R"j({"a":"=toString","b":"=toString","c":"=toString","d":"=toString","e":"=toString"})j",
           R"j({"a":1,"b":1.50,"c":{"x":[1,null,"t"]},"d":[1,"x"],"e":null})j",
           R"j({"a":"1","b":"1.5","c":"{x=[1, null, t]}","d":["1","x"],"e":null})j"},
          {R"j({"a":"=size","b":"=size","c":"=size","d":"=size","e":"=size(1,2,3)","f":"=size(@(1,no))"})j",
           R"j({"a":"aé😀","b":[1,2],"c":{"x":1},"d":5})j", R"j({"a":4,"b":2,"c":1,"d":5,"e":3})j"},
          {R"j({"a":"=squashNulls","b":"=recursivelySquashNulls","c":"=squashNulls"})j",
           R"j({"a":[1,null,{"x":null}],"b":{"p":null,"q":[null,{"r":null}]},"c":{"p":null,"q":{"r":null}}})j",
           R"j({"a":[1,{"x":null}],"b":{"q":[{}]},"c":{"q":{"r":null}}})j"},
          {R"j({"x":"=squashNulls(@(1,a))"})j", R"j({"a":[1,null]})j", R"j({"a":[1],"x":[1]})j"},
          {R"j({"*":"=recursivelySquashNulls"})j",
           R"j({"a":{"p":null,"q":[null]},"b":null,"c":5,"d":[]})j",
           R"j({"a":{"q":[]},"b":null,"c":5,"d":[]})j"},
          {R"j({"a":"=squashDuplicates","b":"=squashDuplicates"})j",
           R"j({"a":[1,"1",1,1.0,null,null,{"x":1},{"x":1},[1],[1]],"b":5})j",
           R"j({"a":[1,"1",1.0,null,{"x":1},[1]],"b":5})j"},
          {R"j({"a":"=noop","b":"=isPresent","c":"=isPresent(@(1,no))","d":"=notNull(@(1,n))","e":"=isNull(@(1,n))","f":"=isNull(@(1,a))","g":"=isPresent(@(1,n))"})j",
           R"j({"a":1,"b":2,"n":null})j", R"j({"a":1,"b":2,"n":null,"e":null,"g":null})j"},
          {R"j({"a":["=isNull","set"],"b":["=notNull","set"],"c":["=isPresent","set"]})j",
           R"j({"a":5,"b":null})j", R"j({"a":"set","b":"set","c":"set"})j"},
          {R"j({"a":"=firstElement(@(1,l))","b":"=lastElement(@(1,l))","c":"=elementAt(1,@(1,l))","d":"=elementAt(9,@(1,l))","e":"=elementAt(-1,@(1,l))","f":"=firstElement(@(1,s))","g":"=firstElement(7,8)","h":"=elementAt(0,a,b)","i":"=elementAt(@(1,l),1)","j":"=firstElement(@(1,e))"})j",
           R"j({"l":[null,"x",{"y":1}],"s":"text","e":[]})j",
           R"j({"l":[null,"x",{"y":1}],"s":"text","e":[],"a":null,"b":{"y":1},"c":"x","g":7,"h":"a"})j"},
          {R"j({"a":"=toList","b":"=toList","c":"=toList(1,x,@(1,a))","d":"=toList(@(1,e))"})j",
           R"j({"a":5,"b":[1],"e":[]})j", R"j({"a":[5],"b":[1],"e":[],"c":[1,"x",[5]]})j"},
          {R"j({"a":"=sort","b":"=sort","c":"=sort","d":"=sort","e":"=sort(3,1,2)","f":"=sort"})j",
           R"j({"a":[3,1,2],"b":["b","a","B"],"c":[1,"x"],"d":[2.5,1.5],"f":[true,false]})j",
           R"j({"a":[1,2,3],"b":["B","a","b"],"c":[1,"x"],"d":[1.5,2.5],"f":[false,true],"e":[1,2,3]})j"},
          {R"j({"a":"=sort","b":"=sort","c":"=sort"})j", R"j({"a":5,"b":[null],"c":[2,1.5]})j",
           R"j({"a":5,"b":[null],"c":[2,1.5]})j"},
      });
}

TEST(Modify, UnknownFunctions) {
  check(Operation::modify_overwrite,
        {
            {R"j({"a":"=nosuch","b":"=nosuch(@(1,x))","c":"=nosuch()"})j", R"j({"a":1,"x":2})j",
             R"j({"a":1,"x":2,"b":2,"c":null})j"},
        });
}

TEST(Modify, Scalars) {
  check(Operation::modify_overwrite,
        {
            {R"j({"a":{"*":"x"}})j", R"j({"a":null})j", R"j({"a":null})j"},
            {R"j({"a":{"*":"=toString"}})j", R"j({"a":5})j", R"j({"a":5})j"},
            {R"j({"a":{"*":"x"}})j", R"j({"a":5})j", R"j(FAIL)j"},
            {R"j({"a":{"b":"x"}})j", R"j({"a":5})j", R"j({"a":5})j"},
            {R"j({"a":"x"})j", R"j(5)j", R"j(5)j"},
            {R"j({"a":"x"})j", R"j(null)j", R"j(null)j"},
            {R"j({"a":"x"})j", R"j([1])j", R"j([1])j"},
        });
}

TEST(Modify, Typical) {
  check(
      Operation::modify_overwrite,
      {
          {R"j({"price":"=toDouble","total":"=doubleSum(@(1,price),@(1,tax))","label":"=concat(@(1,name),' (',@(1,id),')')"})j",
           R"j({"price":"9.5","tax":0.5,"name":"Pen","id":3})j",
           R"j({"price":9.5,"tax":0.5,"name":"Pen","id":3,"total":10.0,"label":"Pen (3)"})j"},
          {R"j({"items":{"*":{"sum":"=divide(@(1,net),@(2,[0].net))"}}})j",
           R"j({"items":[{"net":4},{"net":8}]})j",
           R"j({"items":[{"net":4,"sum":1.0},{"net":8,"sum":2.0}]})j"},
          {R"j({"n":"=size(@(1,items))","items":{"*":{"no":"=toString(@(2,&1))"}}})j",
           R"j({"items":[{"a":1}]})j", R"j({"items":[{"a":1}],"n":1})j"},
      });
}

TEST(Modify, RefusesBadSpecs) {
  refuse(Operation::modify_overwrite, {
                                          R"j("x")j",
                                          R"j(null)j",
                                          R"j([])j",
                                          R"j({"":"x"})j",
                                          R"j({"a":"=f)"})j",
                                          R"j({"a":"=concat(')"})j",
                                          R"j({"a":"@"})j",
                                          R"j({"a":"@(1,a).b"})j",
                                          R"j({"a":"@(1,*)"})j",
                                          R"j({"&1":"x"})j",
                                          R"j({"$":"x"})j",
                                          R"j({"@":"x"})j",
                                          R"j({"#a":"x"})j",
                                          R"j({"[]":"x"})j",
                                          R"j({"[&1]":"x"})j",
                                          R"j({"[0]":"x","a":"y"})j",
                                          R"j({"[0]":"x","a*":"y"})j",
                                          R"j({"a":1,"a|b":2})j",
                                          R"j({"a":"^x["})j",
                                      });
}

TEST(Modify, Fill) {
  check(Operation::modify_default,
        {
            {R"j({"a":"=toString","n":"=size(@(1,tags))"})j", R"j({"a":7,"tags":[1,2]})j",
             R"j({"a":7,"tags":[1,2],"n":2})j"},
            {R"j({"a":"d","b":"d","c":{"d":"e"}})j", R"j({"a":null,"c":{"x":1}})j",
             R"j({"a":"d","c":{"x":1,"d":"e"},"b":"d"})j"},
            {R"j({"list":{"[0]":"a","[1]":"b","[2]":"c"}})j", R"j({"list":[1,null]})j",
             R"j({"list":[1,"b","c"]})j"},
            {R"j({"*":{"k":"d"}})j", R"j({"a":null,"b":{},"c":{"k":null},"d":{"k":1}})j",
             R"j({"a":{"k":"d"},"b":{"k":"d"},"c":{"k":"d"},"d":{"k":1}})j"},
            {R"j({"+a":"over"})j", R"j({"a":1})j", R"j({"a":"over"})j"},
            {R"j({"x":{"y":"z"}})j", R"j({"x":null})j", R"j({"x":{"y":"z"}})j"},
            {R"j({"list":{"*":"d"}})j", R"j({"list":[1,null,2]})j", R"j({"list":[1,"d",2]})j"},
        });
}

TEST(Modify, Define) {
  check(
      Operation::modify_define,
      {
          {R"j({"a":"d","b":"d"})j", R"j({"a":null})j", R"j({"a":null,"b":"d"})j"},
          {R"j({"list":{"[0]":"a","[1]":"b","[3]":"c"}})j", R"j({"list":[null]})j",
           R"j({"list":[null,"b",null,"c"]})j"},
          {R"j({"list":{"[1]":"x","*":"s"}})j", R"j({"list":[null]})j", R"j({"list":[null,"x"]})j"},
          {R"j({"x":{"y":"z"}})j", R"j({"x":null})j", R"j({"x":null})j"},
          {R"j({"x":{"y":"z"}})j", R"j({})j", R"j({"x":{"y":"z"}})j"},
          {R"j({"a*":"n"})j", R"j({"a1":null,"b":1})j", R"j({"a1":null,"b":1})j"},
      });
}

}  // namespace
}  // namespace weir::jolt
