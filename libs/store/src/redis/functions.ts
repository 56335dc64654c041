import { GROUP_FUNCTIONS } from './group-functions.ts'
import { READ_FUNCTIONS } from './read-functions.ts'
import { VERSION_FUNCTIONS } from './version-functions.ts'

/**
 * What the store does inside Redis, as a library of functions: each runs alone on its server, so that a write with its
 * condition, or a read of many objects, is one step. All keys of a pool begin with KEYS[1] and share its hash tag.
 *
 *     P:head    version and timestamp of the last write, persistence, whether only the newest version of a key is kept ('single'),
 *               retention, whether there may be groups of lambdas ('lambdas'), versions that the events tell: those after
 *               'watchedFrom', until nobody watches after 'watchedTo'
 *     P:v:KEY   records of the kept versions of a key, by version; in a single pool P:r:KEY, the record
 *     P:log     the kept versions of all keys, by timestamp: 'version key', in a single pool the key
 *     P:keys    keys that have a kept version, in the order of their bytes
 *     P:c:B:N   chunk N of blob B
 *     P:events  stream of the last calls that wrote, while somebody watches: their keys and infos, numbered by the last version
 *
 * A record is the info of a version, a line feed, and its bytes. Bytes of more than 16 kB are a blob of one chunk.
 */
export const LIBRARY = `#!lua name=hivemind_store

local EVENTS = 10000
local TRIM_EVERY = 100
local INLINE_BYTES = 16384
local PAGE = 200

${VERSION_FUNCTIONS}-- Readers that have begun with the chunks have some time to finish.
local function loosen(p, entry, graceMs)
  for index = 0, entry.chunks - 1 do
    redis.call('PEXPIRE', p .. ':c:' .. entry.blob .. ':' .. index, graceMs)
  end
end

-- Calls a command on a key, where there is one, with a list, which may be longer than the stack of Lua.
local function callWith(list, command, key)
  for first = 1, #list, PAGE do
    local past = math.min(first + PAGE - 1, #list)
    if key then redis.call(command, key, unpack(list, first, past)) else redis.call(command, unpack(list, first, past)) end
  end
end

-- Drops the oldest versions of a key.
local function forget(p, key, count, graceMs)
  local popped = redis.call('ZPOPMIN', p .. ':v:' .. key, count)
  local dropped = {}
  for at = 1, #popped, 2 do
    local version, blob, chunks = string.match(popped[at], '^(%d+)|%d+|%d+|%d+|%d+|%d|%d+|([^|]*)|(%d+)|')
    dropped[#dropped + 1] = version .. ' ' .. key
    if blob ~= '' then loosen(p, { blob = blob, chunks = tonumber(chunks) }, graceMs) end
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
local function refusal(p, pool, writes, current)
  for _, write in ipairs(writes) do
    local key = write.key
    if current[key] == nil then
      local record = last(p, pool, key)
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
  local previous = pool.last
  pool.version, pool.timestamp = pool.version + 1, math.max(changes.now, pool.timestamp + 1)
  local v, t = text(pool.version), text(pool.timestamp)
  pool.last = v
  local blob, chunks, size, bytes = '', '0', #content, content
  if kind == 'chunks' then
    blob, chunks, size = string.match(content, '^([^|]*)|(%d+)|(%d+)$')
    bytes = ''
  elseif size > INLINE_BYTES then
    blob, chunks, bytes = v .. '-' .. t, '1', ''
  end
  local removed = kind == 'removal'
  local info = v .. '|' .. t .. '|' .. previous .. '|' .. (before and before.version or '0') .. '|' .. text(ordinal) ..
    (removed and '|1|' or '|0|') .. size .. '|' .. blob .. '|' .. chunks .. '|' .. write.type
  if pool.persistence ~= 'transient' then
    if kind == 'chunks' then
      for index = 0, tonumber(chunks) - 1 do redis.call('PERSIST', p .. ':c:' .. blob .. ':' .. index) end
    elseif blob ~= '' then
      redis.call('SET', p .. ':c:' .. blob .. ':0', content)
    end
    if not before then redis.call('ZADD', p .. ':keys', 0, key) end
    local log, record = changes.log, info .. '\\n' .. bytes
    log[#log + 1] = t
    if pool.single then
      if before and before.blob ~= '' then loosen(p, before, changes.graceMs) end
      local rows = changes.rows
      rows[#rows + 1] = p .. ':r:' .. key
      rows[#rows + 1] = record
      log[#log + 1] = key
    else
      local records = changes.records[key] or {}
      changes.records[key] = records
      records[#records + 1] = v
      records[#records + 1] = record
      log[#log + 1] = v .. ' ' .. key
    end
    local latest = before or {}
    current[key] = latest
    latest.version, latest.timestamp, latest.ordinal, latest.removed = v, pool.timestamp, ordinal, removed
    latest.blob, latest.chunks = blob, tonumber(chunks)
  end
  local events = changes.events
  if events then
    events[#events + 1] = key
    events[#events + 1] = info
  end
  return v, info
end

-- Writes what 'append' has noted.
local function commit(p, pool, current, changes)
  local rows, stream, events = changes.rows, p .. ':events', changes.events
  if not events and pool.watchedTo > 0 then
    -- A feed that is behind finds by these that it is.
    redis.call('PEXPIRE', stream, changes.graceMs)
    pool.watchedTo, pool.fixed = 0, nil
  end
  rows[#rows + 1] = p .. ':head'
  rows[#rows + 1] = headOf(pool)
  callWith(rows, 'MSET')
  if pool.isHash then redis.call('DEL', p .. ':pool') end
  for key, records in pairs(changes.records) do callWith(records, 'ZADD', p .. ':v:' .. key) end
  callWith(changes.log, 'ZADD', p .. ':log')
  for key in pairs(changes.records) do retain(p, pool, key, current[key], changes.graceMs) end
  if not events then return end
  for first = 1, #events, PAGE do
    redis.call('XADD', stream, pool.last .. '-*', unpack(events, first, math.min(first + PAGE - 1, #events)))
  end
  -- Not with each call: that takes as long as the event itself.
  if pool.version % TRIM_EVERY < #events / 2 then
    redis.call('XTRIM', stream, 'MINID', '~', text(math.max(0, pool.version - EVENTS)))
  end
end

-- The batches of writes in the arguments, and all their keys.
local function batchesOf(args)
  local batches, keys, writes = {}, {}, {}
  for at = 2, #args, 3 do
    local key = args[at]
    local last, kind, expected, type = string.match(args[at + 1], '^(%d)|(%a+)|(%d*)|(.*)$')
    writes[#writes + 1] = { key = key, kind = kind, expected = expected, type = type, content = args[at + 2] }
    keys[#keys + 1] = key
    if last == '1' then
      batches[#batches + 1] = writes
      writes = {}
    end
  end
  return batches, keys
end

-- The pool, and by key the newest versions that one command could read with it; false of keys that have none.
local function begin(p, keys)
  local current, names, fresh = {}, { p .. ':head' }, {}
  for at = 1, math.min(#keys, PAGE) do
    local key = keys[at]
    if current[key] == nil then
      current[key] = false
      names[#names + 1] = p .. ':r:' .. key
      fresh[#fresh + 1] = key
    end
  end
  local found = redis.call('MGET', unpack(names))
  local pool = poolOf(p, found[1])
  if not pool or not pool.single then return pool, {} end
  for at, key in ipairs(fresh) do
    local record = found[at + 1]
    if record then current[key] = parse(record) end
  end
  return pool, current
end

-- ARGV: grace in ms, then of each write: key, 'last|kind|expected version or nothing|type', content. Kinds are bytes, chunks and
-- removal. The writes up to one whose 'last' is 1 are a batch. Answers for each batch: infos, then tickets of lambdas.
local function write(keys, args)
  local p = keys[1]
  local batches, names = batchesOf(args)
  local pool, current = begin(p, names)
  local groups = pool and pool.lambdas and groupsOf(p) or {}
  local hasGroups = next(groups) ~= nil
  local changes = { now = now(), graceMs = args[1], rows = {}, records = {}, log = {} }
  if pool and pool.version < pool.watchedTo then changes.events = {} end
  local result, before = {}, pool and pool.last
  for at, writes in ipairs(batches) do
    local answer = pool and refusal(p, pool, writes, current) or { pool and 'ok' or 'unknown' }
    if answer[1] == 'ok' then
      local tickets = {}
      for at, each in ipairs(writes) do
        local version, info = append(p, pool, each, current, changes)
        answer[at + 1] = info
        if hasGroups and each.kind ~= 'removal' then
          enqueue(p, groups, 'put', each.key, each.type, version, info, each.kind == 'bytes' and each.content, tickets)
        end
      end
      for _, ticket in ipairs(tickets) do table.insert(answer, ticket) end
    end
    result[at] = answer
  end
  if pool and pool.last ~= before then
    -- So that the next write need not look for groups. 'join' takes it back.
    if pool.lambdas and not hasGroups then pool.lambdas, pool.fixed = false, nil end
    commit(p, pool, current, changes)
  end
  return result
end

${READ_FUNCTIONS}-- KEYS[1]: the registry. ARGV: path, description. Answers with the pool that is there already or in the way.
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

-- Opens a pool. ARGV: persistence, versions and age in microseconds that are kept, '' for all. A pool that has been written goes on as it is.
local function open(keys, args)
  local p = keys[1]
  local pool = poolOf(p) or { last = '0', version = 0, timestamp = 0, lambdas = true, watchedFrom = 0, watchedTo = 0 }
  pool.persistence, pool.versions, pool.ageUs = args[1], tonumber(args[2]), tonumber(args[3])
  if pool.version == 0 then pool.single = pool.versions == 1 and not pool.ageUs end
  keepHead(p, pool)
  return { 'ok' }
end

-- ARGV: grace in ms.
local function drop(keys, args)
  local p = keys[1]
  local pool = poolOf(p) or {}
  for _, key in ipairs(redis.call('ZRANGE', p .. ':keys', 0, -1)) do
    eachVersion(p, pool, key, 0, function(_, record) loosen(p, parse(record), args[1]) end)
    redis.call('DEL', p .. ':v:' .. key, p .. ':r:' .. key)
  end
  for _, name in ipairs(redis.call('HKEYS', p .. ':groups')) do dropGroup(p, name) end
  for _, each in ipairs({ 'head', 'pool', 'log', 'keys', 'events', 'groups', 'wake' }) do redis.call('DEL', p .. ':' .. each) end
  return { 'ok' }
end

-- Has the next writes told by events. Answers with the version of the last one, and after which one the events tell all.
local function watch(keys)
  local p = keys[1]
  local pool = poolOf(p)
  if not pool then return { 'unknown' } end
  if pool.version > pool.watchedTo then pool.watchedFrom = pool.version end
  pool.watchedTo = pool.version + EVENTS
  redis.call('PERSIST', p .. ':events')
  keepHead(p, pool)
  return { 'ok', pool.last, text(pool.watchedFrom) }
end

redis.register_function('hivemind_write', write)
redis.register_function('hivemind_watch', watch)
redis.register_function('hivemind_register', register)
redis.register_function('hivemind_open', open)
redis.register_function('hivemind_drop', drop)
`
