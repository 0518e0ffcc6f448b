#!/bin/sh
# What a cart costs, in cents: cart.sh PRICE COUNT. Ten and more are 10 % cheaper.
sum=$(($1 * $2))
if [ "$2" -ge 10 ]; then
    sum=$((sum * 90 / 100))
fi
echo $sum
