// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The protocol of bench/peers/README.md, for locks that goroutines take.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// The operation of a library: waits until it holds the lock, and returns how to release it.
type locks interface {
	acquire(name string) (release func() error, err error)
}

type turn struct {
	contenders, names int
	hold              time.Duration
	begin, end        int64

	mutex sync.Mutex
	pairs int
	waits []int64
}

// CLOCK_MONOTONIC now; afterwards Go's own monotonic clock is read, which is cheaper.
var started = time.Now()
var startedAt = func() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}()

func now() int64 { return startedAt + int64(time.Since(started)) }

var output sync.Mutex

func report(answer map[string]any) {
	line, _ := json.Marshal(answer)
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(line))
}

func fail(err error) {
	report(map[string]any{"failed": err.Error()})
	os.Exit(1)
}

func (t *turn) contend(l locks, number int, done *sync.WaitGroup) {
	defer done.Done()
	name := fmt.Sprintf("bench:%d", number%t.names)
	waits := []int64{}
	pairs := 0
	for requested := now(); requested < t.end; requested = now() {
		release, err := l.acquire(name)
		if err != nil {
			fail(err)
		}
		at := now()
		if at >= t.begin {
			waits = append(waits, (at-requested)/1000)
			if at < t.end {
				pairs++
			}
		}
		if t.hold > 0 && at < t.end {
			time.Sleep(t.hold)
		}
		if err := release(); err != nil {
			fail(err)
		}
	}
	t.mutex.Lock()
	t.pairs += pairs
	t.waits = append(t.waits, waits...)
	t.mutex.Unlock()
}

func (t *turn) run(l locks) {
	var done sync.WaitGroup
	for i := 0; i < t.contenders; i++ {
		done.Add(1)
		go t.contend(l, i, &done)
	}
	done.Wait()
	report(map[string]any{"pairs": t.pairs, "waits": t.waits})
}

type place struct {
	name      string
	contender int
}

// Reads requests to the end of the input.
func converse(l locks, module, lacks string) {
	report(map[string]any{"version": versionOf(module), "lacks": lacks})
	var mutex sync.Mutex
	held := map[place]func() error{}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var verb, name string
		var contender int
		fmt.Sscan(input.Text(), &verb, &name, &contender)
		switch verb {
		case "pairs":
			t := &turn{}
			var hold int64
			fmt.Sscan(input.Text(), &verb, &t.contenders, &t.names, &hold, &t.begin, &t.end)
			t.hold = time.Duration(hold) * time.Millisecond
			t.run(l)
		case "acquire":
			go func() {
				requested := now()
				release, err := l.acquire(name)
				if err != nil {
					fail(err)
				}
				at := now()
				mutex.Lock()
				held[place{name, contender}] = release
				mutex.Unlock()
				report(map[string]any{"acquired": contender, "requested": requested, "at": at})
			}()
		case "release":
			mutex.Lock()
			release := held[place{name, contender}]
			mutex.Unlock()
			at := now()
			if err := release(); err != nil {
				fail(err)
			}
			report(map[string]any{"released_at": at})
		}
	}
}

func versionOf(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, d := range info.Deps {
		if d.Path == module {
			return d.Version
		}
	}
	return "unknown"
}
