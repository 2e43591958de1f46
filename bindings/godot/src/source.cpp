// source.cpp: what the source of a script says of a function that its method list does not: the doc comment, and how defaults are written.
#include "tool.h"

using namespace gd;

static std::string stripped(const std::string &line)
{
    const size_t from = line.find_first_not_of(" \t");
    if (from == std::string::npos)
        return "";
    return line.substr(from, line.find_last_not_of(" \t\r") - from + 1);
}

static bool begins(const std::string &line, const std::string &with) { return line.rfind(with, 0) == 0; }

static bool defines(const std::string &line, const std::string &function)
{
    std::string rest = line;
    for (const char *word : { "@", "static " })
        if (begins(rest, word) && *word != '@')
            rest = stripped(rest.substr(std::string(word).size()));
    if (!begins(rest, "func "))
        return false;
    rest = stripped(rest.substr(5));
    return begins(rest, function) && rest.size() > function.size() && (rest[function.size()] == '(' || rest[function.size()] == ' ');
}

// BBCode as plain words: [param speed] is speed, [b] nothing.
static std::string plain(const std::string &text)
{
    std::string out;
    for (size_t i = 0; i < text.size();) {
        const size_t close = text[i] == '[' ? text.find(']', i) : std::string::npos;
        if (close == std::string::npos) {
            out += text[i++];
            continue;
        }
        const std::string tag = text.substr(i + 1, close - i - 1);
        const size_t space = tag.find(' ');
        static const char *const marks[] = { "b", "/b", "i", "/i", "u", "/u", "code", "/code", "codeblock", "/codeblock", "kbd", "/kbd" };
        bool mark = false;
        for (const char *m : marks)
            mark = mark || tag == m;
        if (space != std::string::npos && tag.find_first_of(",\"") == std::string::npos)
            out += tag.substr(space + 1);
        else if (!mark)
            out += "[" + tag + "]";
        i = close + 1;
    }
    return out;
}

static std::map<std::string, std::string> sorted(const std::vector<std::string> &comment)
{
    std::map<std::string, std::string> doc;
    std::string about; // the argument that is being described; "": the method
    for (std::string line : comment) {
        if (begins(line, "[param ") && line.find(']') != std::string::npos) {
            const size_t close = line.find(']');
            about = line.substr(7, close - 7);
            line = stripped(line.substr(close + 1));
            if (!line.empty() && line[0] == ':')
                line = stripped(line.substr(1));
        } else if (line.empty()) {
            about = "";
        }
        std::string &text = doc[about];
        if (line.empty()) {
            if (!text.empty() && text.back() != '\n')
                text += '\n';
            continue;
        }
        if (!text.empty() && text.back() != '\n')
            text += ' ';
        text += plain(line);
    }
    for (auto &entry : doc)
        while (!entry.second.empty() && entry.second.back() == '\n')
            entry.second.pop_back();
    return doc;
}

struct Function {
    std::vector<std::string> comment;
    std::string rest; // of the source, from its name's end on
};

// false: no source has it. *unread: there is a script without source.
static bool find(Object object, const std::string &function, Function *out, bool *unread)
{
    for (Variant script = script_of(object); script.to_object(); script = script.call(name("get_base_script"))) {
        const std::string source = script.call(name("get_source_code")).to_string();
        *unread = *unread || source.empty();
        std::vector<std::string> comment;
        for (size_t at = 0; at < source.size();) {
            const size_t begin = at, end = std::min(source.find('\n', at), source.size());
            const std::string line = stripped(source.substr(at, end - at));
            at = end + 1;
            if (begins(line, "##")) {
                comment.push_back(stripped(line.substr(2)));
            } else if (defines(line, function)) {
                *out = { comment, source.substr(source.find(function, source.find("func ", begin) + 5) + function.size()) };
                return true;
            } else if (!begins(line, "@")) {
                comment.clear();
            }
        }
    }
    return false;
}

std::map<std::string, std::string> doc_comment(Object object, const std::string &function, bool *unread)
{
    Function f;
    *unread = false;
    const bool found = find(object, function, &f, unread);
    *unread = *unread && !found;
    return found ? sorted(f.comment) : std::map<std::string, std::string>();
}

// "(a: int, b := [1, 2])" as "a:int" and "b:=[1,2]": without blanks and comments.
static std::vector<std::string> parameters(const std::string &text)
{
    std::vector<std::string> list(1);
    int depth = 0;
    char quote = 0;
    for (size_t i = text.find('('); i < text.size(); i++) {
        const char c = text[i];
        if (quote) {
            list.back() += c;
            if (c == '\\' && i + 1 < text.size())
                list.back() += text[++i];
            else if (c == quote)
                quote = 0;
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        depth += c == '(' || c == '[' || c == '{';
        depth -= c == ')' || c == ']' || c == '}';
        if (depth == 0)
            break;
        if (c == '"' || c == '\'')
            quote = c;
        if (c == ',' && depth == 1)
            list.emplace_back();
        else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\\' && !(c == '(' && depth == 1 && list.size() == 1 && list[0].empty()))
            list.back() += c;
    }
    return list;
}

std::string default_text(Object object, const std::string &function, const std::string &argument)
{
    Function f;
    bool unread = false;
    if (!find(object, function, &f, &unread))
        return "";
    for (const std::string &parameter : parameters(f.rest)) {
        const size_t sign = parameter.find('='), end = parameter.find_first_of(":=");
        if (sign != std::string::npos && parameter.substr(0, end) == argument)
            return parameter.substr(sign + 1);
    }
    return "";
}
