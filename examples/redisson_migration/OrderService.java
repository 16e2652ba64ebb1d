//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// The Java service, with Redisson: java -cp 'lib/*' OrderService.java FILE COUNT [URL]

import java.nio.file.Files;
import java.nio.file.Path;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.config.Config;

class OrderService {
    static void numberAnOrder(Path file) throws Exception {
        long last = Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
        Files.writeString(file, (last + 1) + "\n");
    }

    public static void main(String[] args) throws Exception {
        var config = new Config();
        config.useSingleServer().setAddress(args.length > 2 ? args[2] : "redis://localhost:6379");
        var redisson = Redisson.create(config);
        RLock orders = redisson.getLock("orders");
        for (int i = 0; i < Integer.parseInt(args[1]); ++i) {
            orders.lock();
            try {
                numberAnOrder(Path.of(args[0]));
            } finally {
                orders.unlock();
            }
        }
        redisson.shutdown();
        System.out.println("done");
    }
}
