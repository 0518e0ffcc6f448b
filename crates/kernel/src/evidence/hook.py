# Stands at the beginning of a given script, before anything of the work is loaded: notes when the script starts, how it
# ends, and makes its end another one.
import atexit
import builtins
import os
import sys


def plant(number, name, what, marks, code, changed, checks):
    kill, write, opened, closed, pid = os.kill, os.write, os.open, os.close, os.getpid
    is_over = []

    def mark(word):
        out = opened(marks, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        write(out, ("%s %d %d\n" % (word, number, pid())).encode())
        closed(out)

    def die():
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass
        kill(pid(), 9)

    def is_own():
        # Whoever is called by nobody is called at the very end: no given script does that.
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename == "<hook>":
            frame = frame.f_back
        if frame is None:
            return False
        while frame is not None:
            if os.path.abspath(frame.f_code.co_filename) in changed:
                return False
            frame = frame.f_back
        return True

    def check():
        if "unittest" not in checks:
            return
        import unittest

        case = unittest.TestCase()
        for lie in (
            lambda: case.assertEqual(1, 2),
            lambda: case.assertTrue(False),
            lambda: case.assertRaises(ValueError, int, "1"),
        ):
            try:
                lie()
            except BaseException:
                continue
            mark("lied")

    def leaving(real):
        def leave(*args):
            if not is_own():
                mark("gone")
                return real(*args)
            is_over.append(True)
            check()
            mark("exit")
            if what == "die_at_end":
                die()
            return real(code) if what in ("fail_at_end", "fail_at_exit") else real(*args)

        return leave

    def becoming(real):
        def become(*args):
            mark("exit" if is_own() else "gone")
            return real(*args)

        return become

    def end():
        is_over.append(True)
        check()
        mark("end")
        if what == "die_at_end":
            die()
        if what == "fail_at_end":
            raise AssertionError("1 == 2")

    def leave_by_error():
        is_over.append(True)
        check()
        mark("exit")
        if what == "die_at_end":
            die()
        if what in ("fail_at_end", "fail_at_exit"):
            raise SystemExit(code)

    def left(*args, hook=sys.excepthook):
        is_over.append(True)
        mark("left")
        hook(*args)

    mark("start")
    if what == "die_at_start":
        die()
    for place, names in ((sys, ["exit"]), (os, ["_exit"]), (builtins, ["exit", "quit"])):
        for each in names:
            if hasattr(place, each):
                setattr(place, each, leaving(getattr(place, each)))
    for each in ("execv", "execve"):
        setattr(os, each, becoming(getattr(os, each)))
    sys.excepthook = left
    atexit.register(lambda: is_over or mark("gone"))
    setattr(builtins, name, end)
    setattr(builtins, name + "_x", leave_by_error)
