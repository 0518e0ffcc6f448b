#!/bin/sh
# What a cart costs, in cents: cart.sh PRICE COUNT
echo $(($1 * $2))
