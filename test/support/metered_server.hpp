//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#ifndef HOLDFAST_TEST_METERED_SERVER_HPP
#define HOLDFAST_TEST_METERED_SERVER_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch_test_macros.hpp>

#include "engine/port/script.hpp"
#include "sim/redis_model.hpp"

namespace holdfast::test {

// A server model that counts the work of scripts: the words of the commands that they call, and the elements of the
// replies. That is what Lua sees; a server's own search in a list is not counted.
class metered_server {
public:
    metered_server()
    {
        model_.watch([this](simulated::execution const& e) {
            if (!e.in_script)
                return;
            work_ += e.args.size() + (e.reply ? size_of(*e.reply) : 0);
            ++calls_[std::string(e.args[0])];
        });
    }

    std::int64_t now_ms = 1'800'000'000'000;

    simulated::value say(std::vector<std::string> const& command)
    {
        std::vector<std::string_view> const words(command.begin(), command.end());
        auto reply = model_.execute(id_, words, now_ms * 1000);
        REQUIRE(reply);
        return *reply;
    }

    // Commands of thousands of words: `words` for each number from `first` on, behind the beginning.
    template <class Words>
    void fill(std::vector<std::string> command, std::size_t first, std::size_t count, Words words_for)
    {
        for (auto i = first; i < first + count; ++i)
            for (auto& word : words_for(i))
                command.push_back(std::move(word));
        CHECK_FALSE(say(command).is_error());
    }

    simulated::value run(
        std::string_view text, std::vector<std::string> const& keys, std::vector<std::string> const& arguments)
    {
        std::vector<std::string> command{"EVAL", std::string(text), std::to_string(keys.size())};
        command.insert(command.end(), keys.begin(), keys.end());
        command.insert(command.end(), arguments.begin(), arguments.end());
        return say(command);
    }

    // The work of one call.
    std::size_t work_of(
        engine::script const& script, std::vector<std::string> const& keys, std::vector<std::string> const& arguments)
    {
        work_ = 0;
        calls_.clear();
        auto const reply = run(script.text, keys, arguments);
        CAPTURE(script.name, to_string(reply));
        CHECK_FALSE(reply.is_error());
        return work_;
    }

    // How often the last script of work_of() has called a command, as its text writes it.
    std::size_t calls(std::string const& command) const
    {
        auto const found = calls_.find(command);
        return found == calls_.end() ? 0 : found->second;
    }

private:
    struct silent_peer final : simulated::peer {
        void on_push(simulated::value const&) override {}
        void on_kill() override {}
    };

    static std::size_t size_of(simulated::value const& v)
    {
        std::size_t size = 1;
        for (auto const& i : v.items)
            size += size_of(i);
        return size;
    }

    silent_peer peer_;
    simulated::redis_model model_;
    simulated::connection_id id_ = model_.connect(peer_);
    std::size_t work_ = 0;
    std::map<std::string, std::size_t> calls_;
};

}  // namespace holdfast::test

#endif
