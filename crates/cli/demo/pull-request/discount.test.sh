. tests/check.sh
check "nine cost what they cost" 2250 "$(sh cart.sh 250 9)"
check "ten are cheaper" 2250 "$(sh cart.sh 250 10)"
