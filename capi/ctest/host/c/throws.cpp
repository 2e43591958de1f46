// throws: a C++ exception leaves a tool's function, passes through aicc_bridge_pump, and the next pump goes on.
#include <stdexcept>
#include <string>
#include "t.h"

static aicc_call last;
static aicc_status throws(const aicc_request *r, void *) {
    last = r->call;
    throw std::runtime_error(std::string(r->tool_id.ptr, r->tool_id.len));
}
static aicc_status works(const aicc_request *, void *) { return AICC_OK; }

int main() {
    static t_world w;
    t_open(&w, "throws");
    t_tool(w.bridge, "throws", nullptr, throws, nullptr);
    t_tool(w.bridge, "works", nullptr, works, nullptr);
    int caught = 0;
    for (int i = 0; i < 1000; i++) {
        t_call(&w, "throws", "{}");
        try {
            t_pump(&w);
        } catch (const std::runtime_error &e) {
            caught += std::string(e.what()) == "throws";
        }
        CHECK(aicc_call_alive(last) == 1);
        STATUS(AICC_OK, aicc_call_fail(last, AICC_CODE_EXECUTION_FAILED, aicc_s("it threw"), 0));
        CHECK(t_message(&w, "\"tool_result\""));
        CHECK(strstr(w.msg, "it threw") != nullptr);
    }
    CHECK(caught == 1000);
    CHECK(t_result(&w, "works", "{}"));
    STATUS(AICC_OK, aicc_bridge_destroy(w.bridge));
    T_END();
}
