package layout

import "testing"

// guard is the event of 32 bytes that the budget is about.
//
//	struct guard { uint32_t id; uint16_t hp; uint8_t state, alert; float x, y, z, heading; uint32_t target; int16_t mood; uint8_t level, armed; };
func guard(t testing.TB) (*Layout, []byte) {
	return guardLayout(t, 0), guardData(12.5, -3.25, 118.125, 1.571)
}

func guardLayout(t testing.TB, decimals int32) *Layout {
	states := []string{"idle", "patrol", "chase", "attack", "flee"}
	return mustCompile(t, 32,
		Field{Name: "id", Type: U32, Flags: FlagKey},
		Field{Name: "hp", Type: U16, Offset: 4},
		Field{Name: "state", Type: Enum8, Offset: 6, Names: states},
		Field{Name: "alert", Type: Bool8, Offset: 7},
		Field{Name: "position.x", Type: F32, Offset: 8, Decimals: decimals},
		Field{Name: "position.y", Type: F32, Offset: 12, Decimals: decimals},
		Field{Name: "position.z", Type: F32, Offset: 16, Decimals: decimals},
		Field{Name: "heading", Type: F32, Offset: 20, Decimals: decimals},
		Field{Name: "target", Type: U32, Offset: 24},
		Field{Name: "mood", Type: I16, Offset: 28},
		Field{Name: "level", Type: U8, Offset: 30},
		Field{Name: "armed", Type: Bool8, Offset: 31})
}

func guardData(x, y, z, heading float32) gathered {
	return make(gathered, 32).u32(0, 4711).u16(4, 87).u8(6, 3).u8(7, 1).f32(8, x).f32(12, y).f32(16, z).f32(20, heading).
		u32(24, 1042).u16(28, 0xfff9).u8(30, 12)
}
