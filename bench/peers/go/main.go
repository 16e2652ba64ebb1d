// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// peer HOST:PORT redsync|redislock
package main

import (
	"os"

	"github.com/redis/go-redis/v9"
)

func main() {
	client := redis.NewClient(&redis.Options{Addr: os.Args[1]})
	if os.Args[2] == "redsync" {
		converse(newRedsync(client), "github.com/go-redsync/redsync/v4",
			"no order, polls every 50 to 250 ms, no renewal, no notification of a loss")
	} else {
		converse(newRedislock(client), "github.com/bsm/redislock",
			"no order, polls every 100 ms as its example does, no renewal, no notification of a loss")
	}
}
