#!/bin/sh
# Tests of the calculator, in the form of TAP. They are given: a worker cannot change them.
n=0
failed=0

check() { # NAME EXPECTED ACTUAL
    n=$((n + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $n - $1"
    else
        echo "not ok $n - $1: expected '$2', got '$3'"
        failed=1
    fi
}

echo "1..5"
check "adds" 5 "$(sh calc.sh add 2 3 2>&1)"
check "adds negative numbers" -1 "$(sh calc.sh add 2 -3 2>&1)"
check "divides" 3 "$(sh calc.sh div 7 2 2>&1)"
sh calc.sh div 1 0 > /dev/null 2>&1
check "refuses to divide by zero" 2 "$?"
check "says why" "cannot divide by zero" "$(sh calc.sh div 1 0 2>&1)"
exit $failed
