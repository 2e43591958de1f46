// event.h: properties of an object, joined once to a layout and emitted from then on without a Dictionary.
#pragma once

#include "world.h"

#include <set>

class AiccEvent : public gd::Instance {
public:
    bool automatic = false;

    int64_t emit_now();
    bool is_due();
    gd::Dictionary schema() const;
    gd::Reference source() const { return gd::Reference(gd::Variant(gd::from_id(source_id))); }
    bool get_auto() const { return automatic; }
    void set_auto(bool on);
    // false: *why says what cannot be bound.
    bool make(uint64_t character, std::shared_ptr<Seat> seat, int64_t topic, gd::Object source, const gd::Variant &properties, const gd::Dictionary &options, std::string *why);
    static void bind();
private:
    struct Piece {
        std::vector<gd::Name> path;      // "position", or "position", "x"
        std::string property;
        gd::Type type;
        uint32_t offset, bytes;
        int text = -1;                   // which of `texts` holds it
        bool is_index = false;           // of a word
    };
    uint64_t character_id = 0, source_id = 0;
    std::shared_ptr<Seat> seat;
    EventKind kind = {};
    std::vector<Piece> pieces;
    std::vector<uint64_t> memory;        // the struct; of 8 bytes for their alignment
    std::vector<std::string> texts;
    size_t size = 0;
    std::mutex lock;
    uint64_t known_session = 0;
    aicc_event event{ 0 };
    std::set<std::string> complained;
    std::vector<std::string> enums;      // their names in JSON

    bool place(aicc_session *session);
    Error gather();
    void complain(const std::string &what);
};
GD_CLASS_DECLARE(AiccEvent)
