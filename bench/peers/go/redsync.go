// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
package main

import (
	"math"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
)

type redsyncLocks struct{ rs *redsync.Redsync }

func newRedsync(client *redis.Client) locks {
	return redsyncLocks{redsync.New(goredis.NewPool(client))}
}

func (l redsyncLocks) acquire(name string) (func() error, error) {
	m := l.rs.NewMutex(name, redsync.WithExpiry(30*time.Second), redsync.WithTries(math.MaxInt32))
	if err := m.Lock(); err != nil {
		return nil, err
	}
	return func() error { _, err := m.Unlock(); return err }, nil
}
