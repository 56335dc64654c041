import { GROUP_FUNCTIONS } from './group-functions.ts'

/**
 * What the store does inside Redis, as a library of functions: each runs alone on its server, so that a write with its
 * condition, or a read of many objects, is one step. All keys of a pool begin with KEYS[1] and share its hash tag.
 *
 *     P:pool    persistence, retention, version and timestamp of the last write
 *     P:v:KEY   records of the kept versions of a key, by version
 *     P:log     the kept versions of all keys, by timestamp: 'version key'
 *     P:keys    keys that have a kept version, in the order of their bytes
 *     P:c:B:N   chunk N of blob B
 *     P:events  stream of the last calls that wrote: their keys and infos, numbered by the last version
 *
 * A record is the info of a version, a line feed, and its bytes. Bytes of more than 16 kB are a blob of one chunk.
 */
export const LIBRARY = `#!lua name=hivemind_store

local EVENTS = 10000
local TRIM_EVERY = 100
local INLINE_BYTES = 16384
local PAGE = 200

-- Lua prints large numbers with an exponent, unless it is told not to.
local function text(number) return string.format('%d', number) end

local function poolOf(p)
  local found = redis.call('HMGET', p .. ':pool', 'persistence', 'version', 'timestamp', 'versions', 'ageUs')
  return found[1] and {
    persistence = found[1], version = tonumber(found[2] or 0), timestamp = tonumber(found[3] or 0),
    versions = tonumber(found[4] or nil), ageUs = tonumber(found[5] or nil),
  }
end

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function parse(record)
  local version, timestamp, ordinal, removed, blob, chunks =
    string.match(record, '^(%d+)|(%d+)|%d+|%d+|(%d+)|(%d)|%d+|([^|]*)|(%d+)|')
  return {
    version = version, timestamp = tonumber(timestamp), ordinal = tonumber(ordinal),
    removed = removed == '1', blob = blob, chunks = tonumber(chunks),
  }
end

local function infoOf(record) return (string.match(record, '^[^\\n]*')) end

-- The newest record of a key that is not newer than a version.
local function newest(p, key, version)
  return redis.call('ZREVRANGEBYSCORE', p .. ':v:' .. key, version, 0, 'LIMIT', 0, 1)[1]
end

-- Readers that have begun with the chunks have some time to finish.
local function loosen(p, entry, graceMs)
  for index = 0, entry.chunks - 1 do
    redis.call('PEXPIRE', p .. ':c:' .. entry.blob .. ':' .. index, graceMs)
  end
end

-- Calls a command on a key with a list, which may be longer than the stack of Lua.
local function callWith(list, command, key)
  for first = 1, #list, PAGE do
    redis.call(command, key, unpack(list, first, math.min(first + PAGE - 1, #list)))
  end
end

-- Drops the oldest versions of a key.
local function forget(p, key, count, graceMs)
  local popped = redis.call('ZPOPMIN', p .. ':v:' .. key, count)
  local dropped = {}
  for at = 1, #popped, 2 do
    local entry = parse(popped[at])
    table.insert(dropped, entry.version .. ' ' .. key)
    loosen(p, entry, graceMs)
  end
  callWith(dropped, 'ZREM', p .. ':log')
end

local function retain(p, pool, key, latest, graceMs)
  local set = p .. ':v:' .. key
  if pool.versions and latest.ordinal > pool.versions then
    local surplus = redis.call('ZCARD', set) - pool.versions
    if surplus > 0 then forget(p, key, surplus, graceMs) end
  end
  while pool.ageUs do
    local kept = redis.call('ZRANGE', set, 0, 1)
    if not kept[2] or parse(kept[2]).timestamp >= latest.timestamp - pool.ageUs then return end
    forget(p, key, 1, graceMs)
  end
end

${GROUP_FUNCTIONS}
-- A refusal of these writes, all of which or none are to be made. Newest versions of keys are kept in 'current'.
local function refusal(p, writes, current)
  for _, write in ipairs(writes) do
    local key = write.key
    if current[key] == nil then
      local record = redis.call('ZRANGE', p .. ':v:' .. key, -1, -1)[1]
      current[key] = record and parse(record) or false
    end
    local actual = current[key] and not current[key].removed and current[key].version or '0'
    if write.expected ~= '' and write.expected ~= actual then return { 'conflict', key, write.expected, actual } end
    if write.kind == 'removal' and actual == '0' then return { 'absent' } end
    if write.kind == 'chunks' then
      local blob, chunks = string.match(write.content, '^([^|]*)|(%d+)|')
      for index = 0, tonumber(chunks) - 1 do
        if redis.call('EXISTS', p .. ':c:' .. blob .. ':' .. index) == 0 then return { 'expired', key } end
      end
    end
  end
  return nil
end

-- Numbers one write, and notes what 'commit' is to write. Returns its version and info.
local function append(p, pool, write, current, changes)
  local key, kind, content = write.key, write.kind, write.content
  local before = current[key]
  local ordinal = before and before.ordinal + 1 or 1
  local previous = pool.version
  pool.version, pool.timestamp = previous + 1, math.max(changes.now, pool.timestamp + 1)
  local v, t = text(pool.version), text(pool.timestamp)
  local blob, chunks, size, bytes = '', '0', #content, content
  if kind == 'chunks' then
    blob, chunks, size = string.match(content, '^([^|]*)|(%d+)|(%d+)$')
    bytes = ''
  elseif size > INLINE_BYTES then
    blob, chunks, bytes = v .. '-' .. t, '1', ''
  end
  local removed = kind == 'removal'
  local info = v .. '|' .. t .. '|' .. text(previous) .. '|' .. (before and before.version or '0') .. '|' .. text(ordinal) ..
    (removed and '|1|' or '|0|') .. size .. '|' .. blob .. '|' .. chunks .. '|' .. write.type
  if pool.persistence ~= 'transient' then
    if kind == 'chunks' then
      for index = 0, tonumber(chunks) - 1 do redis.call('PERSIST', p .. ':c:' .. blob .. ':' .. index) end
    elseif blob ~= '' then
      redis.call('SET', p .. ':c:' .. blob .. ':0', content)
    end
    if not before then redis.call('ZADD', p .. ':keys', 0, key) end
    local records, log = changes.records[key] or {}, changes.log
    changes.records[key] = records
    records[#records + 1] = v
    records[#records + 1] = info .. '\\n' .. bytes
    log[#log + 1] = t
    log[#log + 1] = v .. ' ' .. key
    current[key] = { version = v, timestamp = pool.timestamp, ordinal = ordinal, removed = removed }
  end
  local events = changes.events
  events[#events + 1] = key
  events[#events + 1] = info
  return v, info
end

local function commit(p, pool, current, changes, graceMs)
  for key, records in pairs(changes.records) do callWith(records, 'ZADD', p .. ':v:' .. key) end
  callWith(changes.log, 'ZADD', p .. ':log')
  for key in pairs(changes.records) do retain(p, pool, key, current[key], graceMs) end
  local v = text(pool.version)
  local events, stream, id = changes.events, p .. ':events', v .. '-*'
  for first = 1, #events, PAGE do
    redis.call('XADD', stream, id, unpack(events, first, math.min(first + PAGE - 1, #events)))
  end
  -- Not with each call: that takes as long as the event itself.
  if pool.version % TRIM_EVERY < #events / 2 then
    redis.call('XTRIM', stream, 'MINID', '~', text(math.max(0, pool.version - EVENTS)))
  end
  redis.call('HSET', p .. ':pool', 'version', v, 'timestamp', text(pool.timestamp))
end

-- The writes from one argument on of which all or none are made, and the argument after them.
local function batchFrom(args, at)
  local writes, last = {}, nil
  repeat
    local kind, expected, type
    last, kind, expected, type = string.match(args[at + 1], '^(%d)|(%a+)|(%d*)|(.*)$')
    writes[#writes + 1] = { key = args[at], kind = kind, expected = expected, type = type, content = args[at + 2] }
    at = at + 3
  until last == '1'
  return writes, at
end

-- ARGV: grace in ms, then of each write: key, 'last|kind|expected version or nothing|type', content. Kinds are bytes, chunks and
-- removal. The writes up to one whose 'last' is 1 are a batch. Answers for each batch: infos, then tickets of lambdas.
local function write(keys, args)
  local p = keys[1]
  local pool = poolOf(p)
  local groups = pool and groupsOf(p)
  local changes = { now = now(), records = {}, log = {}, events = {} }
  local result, current, at = {}, {}, 2
  while at <= #args do
    local writes
    writes, at = batchFrom(args, at)
    local answer = pool and refusal(p, writes, current) or { pool and 'ok' or 'unknown' }
    if answer[1] == 'ok' then
      local tickets = {}
      for _, each in ipairs(writes) do
        local version, info = append(p, pool, each, current, changes)
        table.insert(answer, info)
        if each.kind ~= 'removal' then
          enqueue(p, groups, 'put', each.key, each.type, version, info, each.kind == 'bytes' and each.content, tickets)
        end
      end
      for _, ticket in ipairs(tickets) do table.insert(answer, ticket) end
    end
    table.insert(result, answer)
  end
  if #changes.events > 0 then commit(p, pool, current, changes, args[1]) end
  return result
end

-- A refusal when a time has not passed: until then a write may get an earlier timestamp.
local function tooEarly(pool, time)
  if pool.timestamp >= time then return nil end
  local missing = time - now()
  return missing >= 0 and { 'early', text(missing) } or nil
end

-- The version that a moment means, or a refusal.
local function versionOf(p, pool, kind, value)
  if kind == 'latest' then return pool.version end
  if kind == 'version' then
    if tonumber(value) > pool.version then return nil, { 'future', text(pool.version) } end
    return tonumber(value)
  end
  local early = tooEarly(pool, tonumber(value))
  if early then return nil, early end
  local last = redis.call('ZREVRANGEBYSCORE', p .. ':log', value, 0, 'LIMIT', 0, 1)[1]
  return last and tonumber(string.match(last, '^%d+')) or 0
end

local function keysUnder(p, prefix)
  local found = redis.call('ZRANGEBYLEX', p .. ':keys', '[' .. prefix, '[' .. prefix)
  for _, key in ipairs(redis.call('ZRANGEBYLEX', p .. ':keys', '[' .. prefix .. '/', '(' .. prefix .. '0')) do
    table.insert(found, key)
  end
  return found
end

-- ARGV: kind and value of the moment, 'bytes' or 'info', 'prefix' or 'keys', then the prefix or the keys.
local function read(keys, args)
  local p = keys[1]
  local pool = poolOf(p)
  if not pool then return { 'unknown' } end
  local version, refused = versionOf(p, pool, args[1], args[2])
  if refused then return refused end
  local names, first = args, 5
  if args[4] == 'prefix' then names, first = keysUnder(p, args[5]), 1 end
  local limit, result = text(version), { 'ok', text(version) }
  for at = first, #names do
    local key = names[at]
    local record = newest(p, key, limit)
    if record then
      if not parse(record).removed then
        table.insert(result, key)
        table.insert(result, args[3] == 'bytes' and record or infoOf(record))
      end
    else
      local oldest = redis.call('ZRANGE', p .. ':v:' .. key, 0, 0)[1]
      local entry = oldest and parse(oldest)
      if entry and entry.ordinal > 1 then return { 'forgotten', key, limit, entry.version } end
    end
  end
  return result
end

-- The record of a key at a moment that is past. ARGV: key, kind and value of the moment. Nothing when 'read' has to answer.
local function get(keys, args)
  local p, value = keys[1], args[3]
  local head = redis.call('HGET', p .. ':pool', args[2] == 'time' and 'timestamp' or 'version')
  if not head or tonumber(head) < tonumber(value) then return false end
  if args[2] == 'time' then
    local last = redis.call('ZREVRANGEBYSCORE', p .. ':log', value, 0, 'LIMIT', 0, 1)[1]
    if not last then return false end
    value = string.match(last, '^%d+')
  end
  return newest(p, args[1], value) or false
end

-- Rank in the log of the first version after a given one. Versions grow with timestamps.
local function rankAfter(p, version)
  local low, high = 0, redis.call('ZCARD', p .. ':log')
  while low < high do
    local middle = math.floor((low + high) / 2)
    local found = redis.call('ZRANGE', p .. ':log', middle, middle)[1]
    if tonumber(string.match(found, '^%d+')) <= version then low = middle + 1 else high = middle end
  end
  return low
end

-- Calls visit with key and record of the kept versions after one, of a key or of all keys, until it returns true.
local function eachVersion(p, key, after, visit)
  local rank = not key and rankAfter(p, after)
  repeat
    local page = key
      and redis.call('ZRANGEBYSCORE', p .. ':v:' .. key, '(' .. text(after), '+inf', 'LIMIT', 0, PAGE)
      or redis.call('ZRANGE', p .. ':log', rank, rank + PAGE - 1)
    for _, each in ipairs(page) do
      local name, record = key, each
      if not key then
        local version
        version, name = string.match(each, '^(%d+) (.*)$')
        record = newest(p, name, version)
      end
      if visit(name, record) then return end
    end
    if #page > 0 and key then after = tonumber(parse(page[#page]).version) end
    if not key then rank = rank + PAGE end
  until #page < PAGE
end

-- ARGV: 'key' or 'prefix', the path, after and up to which version, from and until which time, limit; '' for none.
local function history(keys, args)
  local p, path = keys[1], args[2]
  local pool = poolOf(p)
  if not pool then return { 'unknown' } end
  local last, from, untilTime, limit = tonumber(args[4]), tonumber(args[5]), tonumber(args[6]), tonumber(args[7])
  local early = untilTime and tooEarly(pool, untilTime)
  if early then return early end
  local result = { 'ok' }
  eachVersion(p, args[1] == 'key' and path, tonumber(args[3]), function(key, record)
    local entry = parse(record)
    local past = last and tonumber(entry.version) > last or untilTime and entry.timestamp > untilTime
    if past or limit and (#result - 1) / 2 >= limit then return true end
    if under(key, path) and (not from or entry.timestamp >= from) then
      table.insert(result, key)
      table.insert(result, infoOf(record))
    end
  end)
  return result
end

local function headOf(keys)
  local pool = poolOf(keys[1])
  return pool and { 'ok', text(pool.version) } or { 'unknown' }
end

-- KEYS[1]: the registry. ARGV: path, description. Answers with the pool that is there already or in the way.
local function register(keys, args)
  local path = args[1]
  local existing = redis.call('HGET', keys[1], path)
  if existing then return { 'exists', existing } end
  for _, other in ipairs(redis.call('HKEYS', keys[1])) do
    if under(other, path) or under(path, other) then
      return { 'around', other }
    end
  end
  redis.call('HSET', keys[1], path, args[2])
  return { 'ok' }
end

-- ARGV: grace in ms.
local function drop(keys, args)
  local p = keys[1]
  for _, key in ipairs(redis.call('ZRANGE', p .. ':keys', 0, -1)) do
    for _, record in ipairs(redis.call('ZRANGE', p .. ':v:' .. key, 0, -1)) do loosen(p, parse(record), args[1]) end
    redis.call('DEL', p .. ':v:' .. key)
  end
  for _, name in ipairs(redis.call('HKEYS', p .. ':groups')) do dropGroup(p, name) end
  for _, each in ipairs({ 'pool', 'log', 'keys', 'events', 'groups', 'wake' }) do redis.call('DEL', p .. ':' .. each) end
  return { 'ok' }
end

redis.register_function('hivemind_write', write)
redis.register_function('hivemind_register', register)
redis.register_function('hivemind_drop', drop)
redis.register_function{ function_name = 'hivemind_get', callback = get, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_read', callback = read, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_history', callback = history, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_head', callback = headOf, flags = { 'no-writes' } }
`
