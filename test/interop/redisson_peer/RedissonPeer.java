//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Redisson, driven by lines. Each request on standard input is begun at once and answered on standard output when
// it ends, so many acquires may wait at the same time; the end of the input ends the program.
//
//     java RedissonPeer redis://127.0.0.1:PORT[,...] WATCHDOG_MS FAIR_WAITER_MS      0: Redisson's default
//     java RedissonPeer redis+cluster://HOST:PORT[,HOST:PORT ...] ...
//     > 0 AT ready CLIENT_ID
//     < ID acquire KIND NAME THREAD LEASE_MS WAIT_MS      lease -1: the watchdog renews; wait -1: as long as it takes,
//                                                         0: one attempt (and the watchdog)
//     > ID AT granted [TOKEN]  or  busy
//     < ID release KIND NAME THREAD                       > ID AT released
//     < ID held KIND NAME THREAD                          > ID AT true  or  false
//     < ID locked KIND NAME                               > ID AT true  or  false
//     < ID force KIND NAME                                > ID AT true  or  false
//     < ID set permits NAME N         trySetPermits()     > ID AT true  or  false
//     < ID resize permits NAME N      setPermits()        > ID AT done
//     < ID free permits NAME                              > ID AT NUMBER
//     < ID total permits NAME                             > ID AT NUMBER
//     < ID set latch NAME N                               > ID AT true  or  false
//     < ID down latch NAME                                > ID AT done
//     < ID count latch NAME                               > ID AT NUMBER
//     < ID wait latch NAME                                > ID AT open
//     > ID AT failed EXCEPTION: WORDS                     in place of any answer
//
// KIND is reentrant, fair, read, write, fenced, spin, permits, latch, or red, which is over all servers; THREAD any number, which stands for a thread; AT is the steady
// clock in nanoseconds, the same for all processes of a host.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

public final class RedissonPeer {
    private static final String CLUSTER = "redis+cluster://";

    private final List<RedissonClient> servers;
    private final RedissonClient redisson;  // of the first server
    private final Map<String, String> permits = new ConcurrentHashMap<>();  // by name and thread

    private RedissonPeer(List<RedissonClient> servers) {
        this.servers = servers;
        this.redisson = servers.get(0);
    }

    private static RedissonClient connect(String url, String[] args) {
        Config config = new Config();
        config.setLockWatchdogTimeout(Long.parseLong(args[1]));
        if (Long.parseLong(args[2]) > 0) {
            config.setFairLockWaitTimeout(Long.parseLong(args[2]));
        }
        config.setThreads(4).setNettyThreads(4);
        if (url.startsWith(CLUSTER)) {
            for (String node : url.substring(CLUSTER.length()).split(",")) {
                config.useClusterServers().addNodeAddress("redis://" + node);
            }
            return Redisson.create(config);
        }
        config.useSingleServer().setAddress(url).setConnectionMinimumIdleSize(2).setConnectionPoolSize(16)
            .setTimeout(20_000).setSubscriptionTimeout(20_000);  // a test may stop the server for a while
        return Redisson.create(config);
    }

    public static void main(String[] args) throws Exception {
        List<RedissonClient> servers = new ArrayList<>();
        for (String url : args[0].startsWith(CLUSTER) ? new String[] {args[0]} : args[0].split(",")) {
            servers.add(connect(url, args));
        }
        RedissonPeer peer = new RedissonPeer(servers);
        reply("0", "ready " + servers.get(0).getId());

        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            peer.answer(line.split(" "));
        }
        Runtime.getRuntime().halt(0);  // the locks expire, as those of a process that dies
    }

    private void answer(String[] words) {
        String id = words[0];
        try {
            begin(words).whenComplete((said, error) -> reply(id, error == null ? said.toString() : "failed " + error));
        } catch (RuntimeException e) {
            reply(id, "failed " + e);
        }
    }

    private CompletionStage<?> begin(String[] words) {
        String kind = words[2];
        if (kind.equals("permits")) {
            return beginPermits(words);
        }
        if (kind.equals("latch")) {
            return beginLatch(words);
        }
        RLock lock = lockOf(kind, words[3]);
        long thread = words.length > 4 ? Long.parseLong(words[4]) : 0;
        switch (words[1]) {
            case "acquire":
                return acquire(lock, thread, Long.parseLong(words[5]), Long.parseLong(words[6]));
            case "release":
                return lock.unlockAsync(thread).thenApply(nothing -> "released");
            case "held":
                return lock.isHeldByThreadAsync(thread);
            case "locked":
                return lock.isLockedAsync();
            case "force":
                return lock.forceUnlockAsync();
            default:
                throw new IllegalArgumentException("unknown verb " + words[1]);
        }
    }

    private CompletionStage<?> beginPermits(String[] words) {
        RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(words[3]);
        String key = words[3] + " " + words[4];
        switch (words[1]) {
            case "acquire":
                return acquirePermit(semaphore, key, Long.parseLong(words[5]), Long.parseLong(words[6]));
            case "release":
                return semaphore.releaseAsync(permits.remove(key)).thenApply(nothing -> "released");
            case "set":
                return semaphore.trySetPermitsAsync(Integer.parseInt(words[4]));
            case "resize":
                return semaphore.setPermitsAsync(Integer.parseInt(words[4])).thenApply(nothing -> "done");
            case "free":
                return semaphore.availablePermitsAsync();
            case "total":
                return semaphore.getPermitsAsync();
            default:
                throw new IllegalArgumentException("unknown verb " + words[1]);
        }
    }

    private CompletionStage<String> acquirePermit(
            RPermitExpirableSemaphore semaphore, String key, long lease, long wait) {
        CompletionStage<String> id = wait < 0
            ? semaphore.acquireAsync(lease, TimeUnit.MILLISECONDS)
            : semaphore.tryAcquireAsync(wait, lease, TimeUnit.MILLISECONDS);
        return id.thenApply(granted -> {
            if (granted == null) {
                return "busy";
            }
            permits.put(key, granted);
            return "granted";
        });
    }

    private CompletionStage<?> beginLatch(String[] words) {
        RCountDownLatch latch = redisson.getCountDownLatch(words[3]);
        switch (words[1]) {
            case "set":
                return latch.trySetCountAsync(Long.parseLong(words[4]));
            case "down":
                return latch.countDownAsync().thenApply(nothing -> "done");
            case "count":
                return latch.getCountAsync();
            case "wait":
                return latch.awaitAsync().thenApply(nothing -> "open");
            default:
                throw new IllegalArgumentException("unknown verb " + words[1]);
        }
    }

    @SuppressWarnings("deprecation")  // of RedissonRedLock
    private RLock lockOf(String kind, String name) {
        switch (kind) {
            case "reentrant":
                return redisson.getLock(name);
            case "fair":
                return redisson.getFairLock(name);
            case "read":
                return redisson.getReadWriteLock(name).readLock();
            case "write":
                return redisson.getReadWriteLock(name).writeLock();
            case "fenced":
                return redisson.getFencedLock(name);
            case "spin":
                return redisson.getSpinLock(name);
            case "red":
                return new RedissonRedLock(servers.stream().map(s -> s.getLock(name)).toArray(RLock[]::new));
            default:
                throw new IllegalArgumentException("unknown kind " + kind);
        }
    }

    private static CompletionStage<String> acquire(RLock lock, long thread, long lease, long wait) {
        CompletionStage<Boolean> granted;
        if (wait < 0) {
            granted = lock.lockAsync(lease, TimeUnit.MILLISECONDS, thread).thenApply(nothing -> true);
        } else if (wait == 0) {
            granted = lock.tryLockAsync(thread);
        } else {
            granted = lock.tryLockAsync(wait, lease, TimeUnit.MILLISECONDS, thread);
        }
        return granted.thenCompose(yes -> yes ? describe(lock) : CompletableFuture.completedFuture("busy"));
    }

    // The token is read after the grant: nobody else counts while it lasts.
    private static CompletionStage<String> describe(RLock lock) {
        if (lock instanceof RFencedLock) {
            return ((RFencedLock) lock).getTokenAsync().thenApply(token -> "granted " + token);
        }
        return CompletableFuture.completedFuture("granted");
    }

    private static synchronized void reply(String id, String said) {
        System.out.println(id + " " + System.nanoTime() + " " + said);
        System.out.flush();
    }
}
