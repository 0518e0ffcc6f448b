echo 1..2
[ "$(sh calc.sh 2 3)" = 5 ] && echo 'ok 1' || { echo 'not ok 1'; bad=1; }
echo 'ok 2'
exit ${bad:-0}
