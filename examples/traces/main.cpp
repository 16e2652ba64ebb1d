//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
// Requests that wait for a lock, as traces: each request is a span, its wait and its hold are spans below it.
//
//     traces [URL]

#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <opentelemetry/exporters/ostream/span_exporter_factory.h>
#include <opentelemetry/sdk/trace/exporter.h>
#include <opentelemetry/sdk/trace/processor.h>
#include <opentelemetry/sdk/trace/simple_processor_factory.h>
#include <opentelemetry/sdk/trace/tracer_provider.h>
#include <opentelemetry/sdk/trace/tracer_provider_factory.h>
#include <opentelemetry/trace/provider.h>

#include <holdfast.hpp>
#include <holdfast/opentelemetry.hpp>

namespace asio = boost::asio;
namespace trace = opentelemetry::trace;
using namespace std::chrono_literals;

// Prints each span when it ends. A service would use an OTLP exporter and a batch processor.
std::shared_ptr<trace::TracerProvider> make_provider()
{
    namespace sdk = opentelemetry::sdk::trace;
    auto exporter = opentelemetry::exporter::trace::OStreamSpanExporterFactory::Create(std::cout);
    return sdk::TracerProviderFactory::Create(sdk::SimpleSpanProcessorFactory::Create(std::move(exporter)));
}

asio::awaitable<void> request(holdfast::client& client, trace::Tracer& tracer)
{
    // Not a trace::Scope: this thread runs other requests while this one waits.
    auto const span = tracer.StartSpan("request");
    holdfast::mutex const lock{client, "account:42"};
    auto lease = co_await lock.acquire(holdfast::with_parent(span));
    asio::steady_timer job(co_await asio::this_coro::executor, 20ms);
    co_await job.async_wait();
    co_await lease.release();
    span->End();
}

asio::awaitable<void> requests(holdfast::client& client, trace::Tracer& tracer)
{
    using namespace asio::experimental::awaitable_operators;
    co_await (request(client, tracer) && request(client, tracer));
    co_await client.shutdown({.grace = 5s});
}

int main(int argc, char** argv)
try {
    auto const provider = make_provider();
    auto const tracer = provider->GetTracer("traces");
    holdfast::opentelemetry_options options;
    options.tracer = tracer;
    options.lock_name = [](std::string_view name) { return std::string(name.substr(0, name.find(':'))); };

    asio::io_context ioc;
    holdfast::config config;
    config.url = argc > 1 ? argv[1] : "redis://localhost";
    config.observer = std::make_shared<holdfast::opentelemetry_tracer>(options);
    holdfast::client client{ioc, config};
    client.run(asio::detached);
    asio::co_spawn(ioc, requests(client, *tracer), [](std::exception_ptr e) {
        if (e)
            std::rethrow_exception(e);
    });
    ioc.run();
} catch (std::exception const& e) {
    std::cerr << "traces: " << e.what() << '\n';
    return 1;
}
