for test in tests/*.test.sh; do sh "$test" || exit 1; done
