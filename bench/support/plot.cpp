//
// Copyright (c) 2026 The Holdfast authors
// Distributed under the Boost Software License, Version 1.0. (See accompanying file LICENSE)
//
#include "support/plot.hpp"

#include <algorithm>
#include <sstream>

namespace holdfast::bench {
namespace {

// Pixels.
constexpr int width = 860;
constexpr int left = 270;   // names
constexpr int right = 110;  // figures
constexpr int bar = 18;
constexpr int gap = 8;
constexpr int head = 34;

// Greys and one blue, which are legible on white and on black.
constexpr auto own = "#3b82c4";
constexpr auto others = "#9aa3ad";
constexpr auto ink = "#808890";
constexpr auto line = "#4b5563";

std::string escaped(std::string const& text)
{
    std::string out;
    for (char const c : text)
        out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
}

// 1234567.8 as 1,234,567.8.
std::string grouped(std::string digits)
{
    for (auto at = std::min(digits.find('.'), digits.size()); at > 3;)
        digits.insert(at -= 3, ",");
    return digits;
}

bool is_plotted(table::row const& r)
{
    return r.plotted && !r.cells.empty();
}

double most_of(table const& t)
{
    double most = 0;
    for (auto const& r : t.rows)
        if (is_plotted(r))
            most = std::max(most, r.cells.front().most);
    return most > 0 ? most : 1;
}

class panel {
public:
    panel(std::ostream& out, table const& t, int top)
        : out_(out), table_(t), y_(top), scale_((width - left - right) / most_of(t))
    {}

    // Returns the position of the next panel.
    int draw()
    {
        words(0, y_ + 20, "start", table_.title + ": " + table_.columns.front().head);
        y_ += head;
        for (auto const& r : table_.rows)
            if (is_plotted(r))
                draw(r);
        return y_ + gap;
    }

private:
    void draw(table::row const& r)
    {
        auto const& s = r.cells.front();
        auto const middle = y_ + bar / 2;
        words(left - 8, middle + 5, "end", r.name);
        out_ << "<rect x='" << left << "' y='" << y_ << "' width='" << s.median * scale_ << "' height='" << bar
             << "' fill='" << (r.name.starts_with("holdfast") ? own : others) << "'/>\n<line x1='"
             << left + s.least * scale_ << "' x2='" << left + s.most * scale_ << "' y1='" << middle << "' y2='"
             << middle << "' stroke='" << line << "' stroke-width='2'/>\n";
        words(left + static_cast<int>(s.most * scale_) + 8, middle + 5, "start", figure(s.median));
        y_ += bar + gap;
    }

    std::string figure(double value) const
    {
        std::ostringstream text;
        text << std::fixed;
        text.precision(table_.columns.front().digits);
        text << value;
        return grouped(text.str());
    }

    void words(int x, int y, char const* anchor, std::string const& text)
    {
        out_ << "<text x='" << x << "' y='" << y << "' text-anchor='" << anchor << "' fill='" << ink << "'>"
             << escaped(text) << "</text>\n";
    }

    std::ostream& out_;
    table const& table_;
    int y_;
    double scale_;  // pixels per unit
};

}  // namespace

std::string plot(std::vector<table> const& tables)
{
    std::ostringstream panels;
    int y = 0;
    for (auto const& t : tables)
        y = panel(panels, t, y).draw();
    std::ostringstream svg;
    svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << width << " " << y
        << "' font-family='sans-serif' font-size='14'>\n"
        << panels.str() << "</svg>";
    return svg.str();
}

}  // namespace holdfast::bench
