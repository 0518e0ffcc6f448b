#!/bin/sh
# What a cart costs, in cents: cart.sh PRICE COUNT. Ten and more are 10 % cheaper.
echo $(($1 * $2 * 90 / 100))
