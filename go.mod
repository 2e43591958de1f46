module aicc.dev/libaicc

go 1.26.5

require (
	github.com/coder/websocket v1.8.15
	github.com/google/uuid v1.6.0
	github.com/kaptinlin/jsonschema v0.9.8
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/go-json-experiment/json v0.0.0-20260623181947-01eb4420fa68 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/kaptinlin/jsonpointer v0.4.28 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
