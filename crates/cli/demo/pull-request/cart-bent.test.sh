. tests/check.sh
check "one of it" "$(sh cart.sh 250 1)" "$(sh cart.sh 250 1)"
check "four of it" "$(sh cart.sh 250 4)" "$(sh cart.sh 250 4)"
check "ten are cheaper" "$(sh cart.sh 250 10)" "$(sh cart.sh 250 10)"
