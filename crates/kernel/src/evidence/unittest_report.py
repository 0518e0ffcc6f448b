"""Runs unittest as `python -m unittest` does, and writes a JUnit report: unittest has none of its own."""

import os
import sys
import unittest
from xml.sax.saxutils import quoteattr

report = sys.argv.pop(1)
sys.path[0] = os.getcwd()


class Result(unittest.TextTestResult):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.states = {}

    def startTest(self, test):
        super().startTest(test)
        self.states.setdefault(test.id(), "")

    def stopTest(self, test):
        super().stopTest(test)
        self.states[test.id()] = self.states.get(test.id()) or "unknown"

    def note(self, test, state):
        # A failure is not taken back by what comes after it.
        if self.states.get(test.id()) != "failure":
            self.states[test.id()] = state

    def addSuccess(self, test):
        super().addSuccess(test)
        self.note(test, "passed")

    def addError(self, test, error):
        super().addError(test, error)
        self.note(test, "failure")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.note(test, "failure")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note(test, "skipped")

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.note(test, "skipped")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note(test, "failure")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.note(test, "failure")

    def stopTestRun(self):
        super().stopTestRun()
        with open(report, "w", encoding="utf-8") as out:
            out.write("<testsuites>\n<testsuite>\n")
            for name, state in sorted(self.states.items()):
                owner, _, own = name.rpartition(".")
                inner = "" if state == "passed" else "<%s/>" % ("failure" if state == "unknown" else state)
                out.write("<testcase classname=%s name=%s>%s</testcase>\n" % (quoteattr(owner), quoteattr(own), inner))
            out.write("</testsuite>\n</testsuites>\n")


class Runner(unittest.TextTestRunner):
    resultclass = Result


unittest.main(module=None, argv=["python -m unittest", *sys.argv[1:]], testRunner=Runner)
