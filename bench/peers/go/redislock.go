// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
package main

import (
	"context"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
)

type redislockLocks struct{ locker *redislock.Client }

func newRedislock(client *redis.Client) locks {
	return redislockLocks{redislock.New(client)}
}

// The retry strategy is that of the library's own example. Without a deadline of the context, the library would give up
// after the lease time.
func (l redislockLocks) acquire(name string) (func() error, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	options := &redislock.Options{RetryStrategy: redislock.LinearBackoff(100 * time.Millisecond)}
	lock, err := l.locker.Obtain(ctx, name, 30*time.Second, options)
	if err != nil {
		return nil, err
	}
	return func() error { return lock.Release(context.Background()) }, nil
}
