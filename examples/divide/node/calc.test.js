const assert = require("node:assert");
const { test } = require("node:test");
const calc = require("./calc.js");

test("adds", () => assert.strictEqual(calc.add(2, 3), 5));
test("divides", () => assert.strictEqual(calc.divide(7, 2), 3.5));
test("refuses zero", () => assert.throws(() => calc.divide(1, 0), RangeError));
