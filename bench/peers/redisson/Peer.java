//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Redisson, by the protocol of bench/peers/README.md, with its defaults: the watchdog renews.
//
//     java Peer HOST:PORT[,HOST:PORT...] [fair_ | readers_95_ | readers_50_ | red_ | permits_N_]threads | ...async

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public final class Peer {
    private final RedissonClient redisson;
    private final List<RedissonClient> all;  // red_: on all servers
    private final boolean fair;
    private final boolean red;
    private final boolean async;
    private final int permits;  // permits_N_; 0: locks
    private final int period;  // each `period`-th acquire of the process writes, the others read; 0: plain locks
    private final AtomicInteger acquires = new AtomicInteger();
    private final Map<Integer, ExecutorService> threads = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    private Peer(List<RedissonClient> all, String mode) {
        this.all = all;
        redisson = all.get(0);
        fair = mode.startsWith("fair");
        red = mode.startsWith("red");
        async = mode.endsWith("async");
        permits = mode.startsWith("permits") ? Integer.parseInt(mode.split("_")[1]) : 0;
        period = mode.startsWith("readers") ? 100 / (100 - Integer.parseInt(mode.split("_")[1])) : 0;
    }

    private static RedissonClient connect(String address, String mode) {
        Config config = new Config();
        config.useSingleServer().setAddress("redis://" + address);
        if (mode.startsWith("readers")) {
            config.setLockWatchdogTimeout(2000);  // some contenders miss their wake-up, and wait until a lease time has passed
        }
        return Redisson.create(config);
    }

    public static void main(String[] args) throws Exception {
        Peer peer = new Peer(
            Stream.of(args[0].split(",")).map(address -> connect(address, args[1])).toList(), args[1]);
        report("{\"version\": \"" + System.getProperty("redisson.version") + "\", \"lacks\": \""
            + (peer.fair ? "" : "no order, ") + "no notification of a loss\"}");
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            peer.answer(line.split(" "));
        }
        Runtime.getRuntime().halt(0);  // the locks expire
    }

    private void answer(String[] words) throws InterruptedException {
        if (words[0].equals("pairs")) {
            new Turn(words).run();
            return;
        }
        int contender = Integer.parseInt(words[2]);
        boolean acquires = words[0].equals("acquire");
        if (async) {
            acquireOrReleaseAsync(acquires, lock(words[1]), contender);
        } else {
            threads.computeIfAbsent(contender, w -> Executors.newSingleThreadExecutor())
                .execute(() -> acquireOrRelease(acquires, lock(words[1]), contender));
        }
    }

    @SuppressWarnings("deprecation")  // of RedissonRedLock
    private RLock lock(String name) {
        if (red) {
            return new RedissonRedLock(all.stream().map(one -> one.getLock(name)).toArray(RLock[]::new));
        }
        return fair ? redisson.getFairLock(name) : redisson.getLock(name);
    }

    /** What one contender acquires and releases. */
    private interface Resource {
        void acquire() throws InterruptedException;

        void release();

        CompletionStage<?> acquireAsync();

        CompletionStage<?> releaseAsync();
    }

    private static final class Locks implements Resource {
        private final Supplier<RLock> next;
        private final int id;  // in place of a thread's, for the asynchronous API
        private RLock lock;

        Locks(Supplier<RLock> next, int id) {
            this.next = next;
            this.id = id;
        }

        public void acquire() {
            lock = next.get();
            lock.lock();
        }

        public void release() {
            lock.unlock();
        }

        public CompletionStage<?> acquireAsync() {
            lock = next.get();
            return lock.lockAsync(id);
        }

        public CompletionStage<?> releaseAsync() {
            return lock.unlockAsync(id);
        }
    }

    /** With a lease time, or a permit of a process that dies is lost. */
    private static final class Permit implements Resource {
        private static final int LEASE = 30;
        private final RPermitExpirableSemaphore semaphore;
        private String permit;

        Permit(RPermitExpirableSemaphore semaphore) {
            this.semaphore = semaphore;
        }

        public void acquire() throws InterruptedException {
            permit = semaphore.acquire(LEASE, TimeUnit.SECONDS);
        }

        public void release() {
            semaphore.release(permit);
        }

        public CompletionStage<?> acquireAsync() {
            return semaphore.acquireAsync(LEASE, TimeUnit.SECONDS).thenAccept(id -> permit = id);
        }

        public CompletionStage<?> releaseAsync() {
            return semaphore.releaseAsync(permit);
        }
    }

    private Resource resource(String name, int contender) {
        if (permits == 0) {
            return new Locks(locks(name), contender);
        }
        RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(name);
        semaphore.trySetPermits(permits);
        return new Permit(semaphore);
    }

    /** Returns a function that returns the lock for each acquire of a contender. */
    private Supplier<RLock> locks(String name) {
        if (period == 0) {
            RLock always = lock(name);
            return () -> always;
        }
        RReadWriteLock both = redisson.getReadWriteLock(name);
        return () -> acquires.incrementAndGet() % period == 0 ? both.writeLock() : both.readLock();
    }

    private static void acquireOrRelease(boolean acquires, RLock lock, int contender) {
        try {
            long begun = System.nanoTime();
            if (acquires) {
                lock.lock();
                reportAcquired(contender, begun);
            } else {
                lock.unlock();
                reportReleased(begun);
            }
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private static void acquireOrReleaseAsync(boolean acquires, RLock lock, int contender) {
        long begun = System.nanoTime();
        (acquires ? lock.lockAsync(contender) : lock.unlockAsync(contender)).whenComplete((nothing, error) -> {
            if (error != null) {
                fail(error);
            } else if (acquires) {
                reportAcquired(contender, begun);
            } else {
                reportReleased(begun);
            }
        });
    }

    /** The work of the contenders for one request `pairs`. */
    private final class Turn {
        private final int contenders;
        private final int names;
        private final long hold;  // milliseconds
        private final long begin;
        private final long end;
        private final List<Contender> all = new ArrayList<>();
        private final CountDownLatch going;

        Turn(String[] words) {
            contenders = Integer.parseInt(words[1]);
            names = Integer.parseInt(words[2]);
            hold = Long.parseLong(words[3]);
            begin = Long.parseLong(words[4]);
            end = Long.parseLong(words[5]);
            going = new CountDownLatch(contenders);
        }

        void run() throws InterruptedException {
            for (int i = 0; i < contenders; i++) {
                Contender one = new Contender(this, resource("bench:" + i % names, i + 1));
                all.add(one);
                if (async) {
                    one.acquireAsync();
                } else {
                    new Thread(one::contend).start();
                }
            }
            going.await();
            reportAll();
        }

        private void reportAll() {
            long pairs = 0;
            StringBuilder waits = new StringBuilder();
            for (Contender one : all) {
                pairs += one.pairs;
                for (Long wait : one.waits) {
                    waits.append(waits.length() == 0 ? "" : ",").append((long) wait);
                }
            }
            report("{\"pairs\": " + pairs + ", \"waits\": [" + waits + "]}");
        }
    }

    private final class Contender {
        private final Turn turn;
        private final Resource resource;
        private final List<Long> waits = new ArrayList<>();
        private long pairs;
        private long requested;

        Contender(Turn turn, Resource resource) {
            this.turn = turn;
            this.resource = resource;
        }

        void contend() {
            try {
                while ((requested = System.nanoTime()) < turn.end) {
                    resource.acquire();
                    if (note() < turn.end && turn.hold > 0) {
                        Thread.sleep(turn.hold);
                    }
                    resource.release();
                }
                turn.going.countDown();
            } catch (InterruptedException | RuntimeException e) {
                fail(e);
            }
        }

        void acquireAsync() {
            requested = System.nanoTime();
            if (requested >= turn.end) {
                turn.going.countDown();
                return;
            }
            resource.acquireAsync().whenComplete((nothing, error) -> {
                if (error != null) {
                    fail(error);
                }
                if (note() < turn.end && turn.hold > 0) {
                    timer.schedule(this::releaseAsync, turn.hold, TimeUnit.MILLISECONDS);
                } else {
                    releaseAsync();
                }
            });
        }

        private void releaseAsync() {
            resource.releaseAsync().whenComplete((nothing, error) -> {
                if (error != null) {
                    fail(error);
                }
                acquireAsync();
            });
        }

        private long note() {
            long at = System.nanoTime();
            if (at >= turn.begin) {
                waits.add((at - requested) / 1000);
                pairs += at < turn.end ? 1 : 0;
            }
            return at;
        }
    }

    private static void reportAcquired(int contender, long requested) {
        long at = System.nanoTime();
        report("{\"acquired\": " + contender + ", \"requested\": " + requested + ", \"at\": " + at + "}");
    }

    private static void reportReleased(long begun) {
        report("{\"released_at\": " + begun + "}");
    }

    private static void fail(Throwable error) {
        report("{\"failed\": \"" + error.toString().replace('"', '\'').replace('\n', ' ') + "\"}");
        Runtime.getRuntime().halt(1);
    }

    private static synchronized void report(String answer) {
        System.out.println(answer);
        System.out.flush();
    }
}
