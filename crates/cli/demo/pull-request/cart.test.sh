. tests/check.sh
check "one of it" 250 "$(sh cart.sh 250 1)"
check "four of it" 1000 "$(sh cart.sh 250 4)"
