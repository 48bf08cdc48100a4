# Builds native/build/Release/millrace.node: what TypeScript cannot do, or not fast enough. Loaded by src/native/addon.ts only.
# Run by scripts/install.mjs as `node-gyp rebuild --directory=native`.
{
  "targets": [
    {
      "target_name": "millrace",
      "sources": [
        "src/addon.cc",
        "src/bus_error.cc",
        "src/crc32c.cc",
        "src/file_lock.cc",
        "src/heap_trim.cc",
        "src/heap_trim_door.cc",
        "src/journal_write.cc",
        "src/lua_cjson.cc",
        "src/lua_cmsgpack.cc",
        "src/lua_door.cc",
        "src/lua_host.cc",
        "src/lua_interrupt.cc",
        "src/lua_json_decode.cc",
        "src/lua_json_encode.cc",
        "src/lua_library.cc",
        "src/lua_nesting.cc",
        "src/lua_order.cc",
        "src/lua_redis_api.cc",
        "src/lua_resp.cc",
        "src/lua_sandbox.cc",
        "src/lua_source.cc",
        "src/lua_struct.cc",
        "src/lua_watchdog.cc",
        "src/page_items.cc",
        "src/peer_exchange.cc",
        "src/reactor.cc",
        "src/reactor_door.cc",
        "src/socket_now.cc",
        "src/socket_send.cc",
        "src/turn_meter.cc",
        "src/turn_meter_door.cc"
      ],
      "include_dirs": ["/usr/include/luajit-2.1", "/usr/local/include/luajit-2.1", "/opt/homebrew/include/luajit-2.1"],
      "libraries": ["-lluajit-5.1"],
      "cflags": ["-Wall", "-Wextra", "-Werror", "-O3", "-fvisibility=hidden"],
      "cflags_cc": ["-std=c++17"],
      "defines": ["NAPI_VERSION=8"],
      "configurations": {
        "Debug": {
          "cflags!": ["-O3"],
          "cflags": ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address"],
          "ldflags": ["-fsanitize=address"]
        }
      },
      "xcode_settings": { "CLANG_CXX_LANGUAGE_STANDARD": "c++17", "OTHER_CFLAGS": ["-Wall", "-Wextra", "-Werror"] }
    }
  ]
}
