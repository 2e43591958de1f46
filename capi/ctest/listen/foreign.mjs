// A foreign client: the npm package ws and raw JSON, against a running game. Arguments: ADDRESS TOKEN. Ends with "ok".
import { createRequire } from 'node:module'
import http from 'node:http'
import net from 'node:net'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

const { WebSocket } = createRequire(process.env.AICC_NODE_MODULES + '/')('ws')
const [address, token] = process.argv.slice(2)
const [host, port] = address.split(':')
const bearer = { Authorization: 'Bearer ' + token }

// A connection whose messages, and end, are awaited one by one.
function dial(path, options = {}) {
    const ws = new WebSocket(`ws://${address}${path}`, { headers: bearer, ...options })
    const came = [], waiting = []
    const push = x => waiting.length ? waiting.shift()(x) : came.push(x)
    ws.on('message', (data, binary) => push({ message: JSON.parse(data), binary }))
    ws.on('close', (code, reason) => push({ code, reason: String(reason) }))
    ws.on('open', () => push({ opened: true }))
    ws.on('pong', () => push({ pong: true }))
    ws.on('unexpected-response', (request, response) => {
        let body = ''
        response.on('data', d => body += d)
        response.on('end', () => push({ status: response.statusCode, error: JSON.parse(body).error }))
    })
    ws.on('error', () => { })
    const next = () => came.length ? Promise.resolve(came.shift()) : new Promise(r => waiting.push(r))
    return { ws, next, send: m => ws.send(typeof m === 'string' ? m : JSON.stringify(m)) }
}
async function until(c, is) {
    for (; ;) {
        const x = await c.next()
        if (is(x)) return x
        assert.ok(x.code === undefined, JSON.stringify(x))
    }
}
const of = type => x => x.message?.type === type
const message = (session, type, rest) => ({ protocol: 'aicc/0.1', type, session_id: session, message_id: randomUUID(), ...rest })
const call = (session, id, input = {}) => message(session, 'tool_call', { call_id: id, tool: 'go', input })

async function refusals() {
    const refused = async (status, code, path, options) => {
        const x = await dial(path, options).next()
        assert.equal(x.status, status, JSON.stringify(x))
        assert.equal(x.error.code, code)
        assert.ok(x.error.message.length > 20)
    }
    await refused(401, 'token_missing', '/aicc?character=npc', { headers: {} })
    await refused(401, 'token_wrong', '/aicc?character=npc', { headers: { Authorization: 'Bearer sesamE' } })
    await refused(400, 'token_in_query', '/aicc?character=npc&token=' + token)
    await refused(403, 'host', '/aicc?character=npc', { headers: { ...bearer, Host: 'rebound.example' } })
    await refused(403, 'host', '/aicc?character=npc', { headers: { ...bearer, Host: 'rebound.example' }, origin: 'http://rebound.example' })
    await refused(403, 'origin', '/aicc?character=npc', { origin: 'http://rebound.example' })
    await refused(403, 'origin', '/aicc?character=npc', { origin: 'http://' + address })
    await refused(404, 'not_found', '/aicc?character=nobody')
    await refused(404, 'not_found', '/aicc/nowhere?character=npc')
    await refused(400, 'model', '/aicc?character=npc&model=huge')
    const list = await new Promise(r => http.get({ host, port, path: '/', headers: bearer }, response => {
        let body = ''
        response.on('data', d => body += d)
        response.on('end', () => r([response.statusCode, body]))
    }))
    assert.equal(list[0], 200)
    assert.deepEqual(JSON.parse(list[1]).bridges[0].characters, [{ name: 'npc', state: 'free' }, { name: 'other', state: 'free' }])
    const bare = await new Promise(r => http.get({ host, port, path: '/' }, response => { response.resume(); r(response.statusCode) }))
    assert.equal(bare, 401)
}

// session_init, a call and its result, one that comes again, a second agent, a cut and a resume.
async function play() {
    const a = dial('/aicc?character=npc&model=edge_small&full_ms=9000&topics=audio', { perMessageDeflate: true })
    const init = (await until(a, of('session_init'))).message
    assert.equal(init.agent_model.class, 'edge_small')
    assert.equal(init.agent_model.expected_full_response_ms, 9000)
    assert.deepEqual(init.event_subscriptions, ['audio'])
    const session = init.session_id
    a.send(call(session, 'one'))
    const result = (await until(a, of('tool_result'))).message
    assert.deepEqual(result.output, { done: true })
    a.send(call(session, 'one')) // the same again: the same result, and it does not run again
    assert.deepEqual((await until(a, of('tool_result'))).message.output, { done: true })
    a.send('{"protocol":') // no message, and the connection lives
    assert.equal((await until(a, of('error'))).message.error.code, 'invalid_input')
    a.ws.ping()
    await until(a, x => x.pong)
    const text = JSON.stringify(call(session, 'two')) // in many frames
    for (let i = 0; i < text.length; i += 7) a.ws.send(text.slice(i, i + 7), { fin: i + 7 >= text.length })
    assert.equal((await until(a, of('tool_result'))).message.call_id, 'two')
    const second = await dial('/aicc?character=npc').next()
    assert.equal(second.status, 409)
    assert.equal(second.error.code, 'taken')

    a.send(call(session, 'three', { ms: 300 }))
    a.ws.terminate() // as a network does
    let b
    for (; ;) { // the listener may not have noticed yet
        b = dial('/aicc?character=npc')
        const first = await b.next()
        if (first.opened) break
        assert.equal(first.status, 409)
    }
    b.send(message(session, 'session_resume', {}))
    assert.equal((await until(b, of('session_init'))).message.session_id, session)
    let threes = 0, results = 0
    while (threes === 0) {
        const m = (await until(b, of('tool_result'))).message
        results++
        if (m.call_id === 'three') threes++
    }
    assert.ok(results >= 1)
    b.send(message(session, 'session_close', { reason: 'done' }))
    assert.equal((await until(b, x => x.code)).code, 1000)
}

async function bad() {
    const binary = dial('/aicc?character=other')
    const session = (await until(binary, of('session_init'))).message.session_id
    binary.ws.send(Buffer.from('{}'))
    assert.equal((await until(binary, x => x.code)).code, 1003)
    const large = dial('/aicc?character=other')
    await until(large, x => x.opened)
    large.send(message(session, 'session_resume', {}))
    await until(large, of('session_init'))
    large.send('"' + 'x'.repeat((1 << 20) + 1) + '"')
    assert.equal((await until(large, x => x.code)).code, 1009)
    const again = dial('/aicc?character=other')
    await until(again, x => x.opened)
    again.send(message(session, 'session_resume', {}))
    await until(again, of('session_init'))
    again.send(call(session, 'four'))
    await until(again, of('tool_result'))
    again.send(message(session, 'session_close', { reason: 'done' }))
    await until(again, x => x.code)
    // No WebSocket at all: answered, or cut off.
    for (const text of ['GET / HTTP/1.1\r\n\r\n', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', '\0\0\0\0\r\n\r\n', 'A'.repeat(9000) + '\r\n\r\n', 'POST /aicc HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello']) {
        const answer = await new Promise(r => {
            let all = ''
            const s = net.connect(port, host, () => s.write(text))
            s.on('data', d => all += d)
            s.on('error', () => r(all))
            s.on('close', () => r(all))
        })
        assert.match(answer, /^HTTP\/1\.1 4\d\d /, JSON.stringify(text.slice(0, 40)))
    }
}

await refusals()
await play()
await bad()
console.log('ok')
