// register.cpp: the extension's one exported function.
#include "bridge.h"
#include "call.h"
#include "character.h"
#include "errors.h"

#if defined(AICC_DOC_DATA)
#include "doc_data.h"
#endif

using namespace gd;

static_assert(sizeof(void *) == 8, "user data of the library are ids of objects, of 64 bits");

static GDExtensionInterfaceGetProcAddress get_proc_address;
static bool usable;

static void initialize(void *, GDExtensionInitializationLevel level)
{
#if defined(AICC_DOC_DATA)
    if (level == GDEXTENSION_INITIALIZATION_EDITOR && usable) {
        load_help(get_proc_address);
        if (api.editor_help)
            api.editor_help(reinterpret_cast<const char *>(aicc_doc_data), aicc_doc_size);
    }
#endif
    if (level != GDEXTENSION_INITIALIZATION_SCENE)
        return;
    if (Variant(singleton("OS")).call(name("has_feature"), { Variant("double") }).to_bool()) {
        push_error("aicc: this engine was built with precision=double, which the addon does not support. Use a build of single precision.");
        return;
    }
    if (!AICC_ABI_FITS(aicc_abi())) {
        push_error(std::string("aicc: the library beside the addon is libaicc ") + aicc_version() + ", which is another than the addon was built for. Copy all of addons/aicc/bin anew.");
        return;
    }
    usable = true;
    AiccJson::bind();
    AiccTool::bind();
    AiccCall::bind();
    AiccEvent::bind();
    AiccCharacter::bind();
    AiccBridge::bind();
    errors::listen();
}

static void deinitialize(void *, GDExtensionInitializationLevel level)
{
    if (level != GDEXTENSION_INITIALIZATION_SCENE)
        return;
    errors::unlisten();
    listeners_unload();
    world_unload();
    unregister_all();
    unload();
    usable = false;
}

extern "C" {
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
GDExtensionBool aicc_godot_init(GDExtensionInterfaceGetProcAddress get, GDExtensionClassLibraryPtr library, GDExtensionInitialization *initialization)
{
    if (!load(get, library))
        return false;
    get_proc_address = get;
    initialization->minimum_initialization_level = GDEXTENSION_INITIALIZATION_SCENE;
    initialization->userdata = nullptr;
    initialization->initialize = initialize;
    initialization->deinitialize = deinitialize;
    return true;
}
}
