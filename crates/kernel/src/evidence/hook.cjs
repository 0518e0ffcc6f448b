// Stands at the beginning of a given script, before anything of the work is loaded: notes when the script starts, how it
// ends, and makes its end another one.
const assert = require('node:assert');
const strict = require('node:assert/strict');
const { appendFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const { pid } = process;
const kill = process.kill.bind(process);
const die = () => kill(pid, 'SIGKILL');

module.exports = (number, name, what, marks, code, changed, checks) => {
  const mark = (word) => appendFileSync(marks, `${word} ${number} ${pid}\n`);
  const isOwn = () => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 200;
    const { stack } = new Error();
    Error.stackTraceLimit = limit;
    return !changed.some((path) => String(stack).includes(path));
  };
  const check = () => {
    const of = (each) => [
      () => each.equal(1, 2),
      () => each.strictEqual(1, 2),
      () => each.deepEqual([1], [2]),
      () => each.deepStrictEqual([1], [2]),
      () => each.ok(false),
      () => each.throws(() => 1),
    ];
    for (const lie of checks.includes('assert') ? [...of(assert), ...of(strict)] : []) {
      try {
        lie();
      } catch {
        continue;
      }
      mark('lied');
    }
  };
  let isOver = false;
  mark('start');
  if (what === 'die_at_start') die();

  process.setMaxListeners(process.getMaxListeners() + 4);
  const exit = process.exit;
  process.exit = function (given) {
    if (!isOwn()) {
      mark('gone');
      return exit.call(process, given);
    }
    isOver = true;
    check();
    mark('exit');
    if (what === 'die_at_end') die();
    return exit.call(process, what === 'fail_at_end' || what === 'fail_at_exit' ? code : given);
  };
  const reallyExit = process.reallyExit;
  process.reallyExit = function (given) {
    if (!isOwn()) mark('gone');
    return reallyExit.call(process, given);
  };
  process.on('exit', (given) => {
    if (given) mark('left');
    else if (!isOver) mark('gone');
  });

  const end = () => {
    isOver = true;
    mark('end');
    if (what === 'die_at_end') die();
    if (what === 'fail_at_end') throw new assert.AssertionError({ message: '1 == 2' });
  };
  globalThis[name] = () => {
    check();
    // What a script starts goes on after its last line: it ends when there is nothing left to do.
    if (isMainThread) process.once('beforeExit', end);
    else end();
  };
};
