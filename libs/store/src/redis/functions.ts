import { GROUP_FUNCTIONS } from './group-functions.ts'

/**
 * What the store does inside Redis, as a library of functions: each runs alone on its server, so that a write with its
 * condition, or a read of many objects, is one step. All keys of a pool begin with KEYS[1] and share its hash tag.
 *
 *     P:pool    persistence, retention         P:keys   keys that have a kept version, in the order of their bytes
 *     P:head    last version and timestamp     P:k:KEY  versions of a key
 *     P:log     versions                       P:r:V    a version: key, info, bytes
 *     P:times   versions by timestamp          P:c:B:N  chunk N of blob B
 *     P:events  stream of the last writes
 */
export const LIBRARY = `#!lua name=hivemind_store

local EVENTS = 10000

-- Lua prints large numbers with an exponent, unless it is told not to.
local function text(number) return string.format('%.0f', number) end

local function head(p)
  local found = redis.call('HMGET', p .. ':head', 'version', 'timestamp')
  return tonumber(found[1] or 0), tonumber(found[2] or 0)
end

local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function parse(info)
  local version, timestamp, ordinal, removed, blob, chunks =
    string.match(info, '^(%d+)|(%d+)|%d+|%d+|(%d+)|(%d)|%d+|([^|]*)|(%d+)|')
  return {
    version = version, timestamp = tonumber(timestamp), ordinal = tonumber(ordinal),
    removed = removed == '1', blob = blob, chunks = tonumber(chunks),
  }
end

local function infoOf(p, version) return redis.call('HGET', p .. ':r:' .. version, 'i') end

local function newest(p, key, version)
  return redis.call('ZREVRANGEBYSCORE', p .. ':k:' .. key, version, 0, 'LIMIT', 0, 1)[1]
end

-- Readers that have begun with the chunks have some time to finish.
local function loosen(p, entry, graceMs)
  for index = 0, entry.chunks - 1 do
    redis.call('PEXPIRE', p .. ':c:' .. entry.blob .. ':' .. index, graceMs)
  end
end

local function forget(p, key, entry, graceMs)
  redis.call('ZREM', p .. ':k:' .. key, entry.version)
  redis.call('ZREM', p .. ':log', entry.version)
  redis.call('ZREM', p .. ':times', entry.version)
  redis.call('DEL', p .. ':r:' .. entry.version)
  loosen(p, entry, graceMs)
end

local function retain(p, key, latest, versions, ageUs, graceMs)
  if not versions and not ageUs then return end
  while true do
    local kept = redis.call('ZRANGE', p .. ':k:' .. key, 0, 1)
    if not kept[2] then return end
    local oldest = parse(infoOf(p, kept[1]))
    local replaced = parse(infoOf(p, kept[2])).timestamp
    local tooMany = versions and latest.ordinal - oldest.ordinal + 1 > versions
    local tooOld = ageUs and replaced < latest.timestamp - ageUs
    if not tooMany and not tooOld then return end
    forget(p, key, oldest, graceMs)
  end
end

${GROUP_FUNCTIONS}
-- ARGV: grace in ms, then for each write: key, type, kind (bytes, chunks, removal), content, expected version or ''.
-- Answers with the number of writes, key and info of each, and tickets of lambdas.
local function write(keys, args)
  local p = keys[1]
  local pool = redis.call('HMGET', p .. ':pool', 'persistence', 'versions', 'ageUs')
  if not pool[1] then return { 'unknown' } end
  for at = 2, #args, 5 do
    local key, kind, content, expected = args[at], args[at + 2], args[at + 3], args[at + 4]
    local version = newest(p, key, '+inf')
    local actual = version and not parse(infoOf(p, version)).removed and version or '0'
    if expected ~= '' and expected ~= actual then return { 'conflict', key, expected, actual } end
    if kind == 'removal' and actual == '0' then return { 'absent' } end
    if kind == 'chunks' then
      local blob, chunks = string.match(content, '^([^|]*)|(%d+)|')
      for index = 0, tonumber(chunks) - 1 do
        if redis.call('EXISTS', p .. ':c:' .. blob .. ':' .. index) == 0 then return { 'expired', key } end
      end
    end
  end

  local result, tickets, groups = { 'ok', text((#args - 1) / 5) }, {}, groupsOf(p)
  local version, timestamp = head(p)
  for at = 2, #args, 5 do
    local key, type, kind, content = args[at], args[at + 1], args[at + 2], args[at + 3]
    local before = newest(p, key, '+inf')
    local ordinal = before and parse(infoOf(p, before)).ordinal + 1 or 1
    local blob, chunks, size = '', '0', text(#content)
    if kind == 'chunks' then blob, chunks, size = string.match(content, '^([^|]*)|(%d+)|(%d+)$') end
    local previous = version
    version, timestamp = version + 1, math.max(now(), timestamp + 1)
    local v, t = text(version), text(timestamp)
    local info = table.concat({ v, t, text(previous), before or '0', text(ordinal),
      kind == 'removal' and '1' or '0', size, blob, chunks, type }, '|')
    if pool[1] ~= 'transient' then
      redis.call('HSET', p .. ':r:' .. v, 'k', key, 'i', info, 'b', kind == 'bytes' and content or '')
      redis.call('ZADD', p .. ':k:' .. key, v, v)
      redis.call('ZADD', p .. ':log', v, v)
      redis.call('ZADD', p .. ':times', t, v)
      redis.call('ZADD', p .. ':keys', 0, key)
      for index = 0, tonumber(chunks) - 1 do redis.call('PERSIST', p .. ':c:' .. blob .. ':' .. index) end
      retain(p, key, { ordinal = ordinal, timestamp = timestamp }, tonumber(pool[2] or nil), tonumber(pool[3] or nil), args[1])
    end
    redis.call('XADD', p .. ':events', 'MAXLEN', '~', EVENTS, v .. '-0', 'k', key, 'i', info)
    if kind ~= 'removal' then
      enqueue(p, groups, 'put', key, type, v, info, kind == 'bytes' and content, tickets)
    end
    table.insert(result, key)
    table.insert(result, info)
  end
  for _, ticket in ipairs(tickets) do table.insert(result, ticket) end
  redis.call('HSET', p .. ':head', 'version', text(version), 'timestamp', text(timestamp))
  return result
end

-- A refusal when a time has not passed: until then a write may get an earlier timestamp.
local function tooEarly(p, time)
  local _, timestamp = head(p)
  if timestamp >= time then return nil end
  local missing = time - now()
  return missing >= 0 and { 'early', text(missing) } or nil
end

-- The version that a moment means, or a refusal.
local function versionOf(p, kind, value)
  local version = head(p)
  if kind == 'latest' then return version end
  if kind == 'version' then
    if tonumber(value) > version then return nil, { 'future', text(version) } end
    return tonumber(value)
  end
  local refusal = tooEarly(p, tonumber(value))
  if refusal then return nil, refusal end
  return tonumber(redis.call('ZREVRANGEBYSCORE', p .. ':times', value, 0, 'LIMIT', 0, 1)[1] or 0)
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
  if redis.call('EXISTS', p .. ':pool') == 0 then return { 'unknown' } end
  local version, refusal = versionOf(p, args[1], args[2])
  if refusal then return refusal end
  local names, first = args, 5
  if args[4] == 'prefix' then names, first = keysUnder(p, args[5]), 1 end
  local result = { 'ok', text(version) }
  for at = first, #names do
    local key = names[at]
    local found = newest(p, key, text(version))
    if found then
      local row = redis.call('HMGET', p .. ':r:' .. found, 'i', args[3] == 'bytes' and 'b' or 'none')
      if not parse(row[1]).removed then
        table.insert(result, key)
        table.insert(result, row[1])
        table.insert(result, row[2] or '')
      end
    else
      local oldest = redis.call('ZRANGE', p .. ':k:' .. key, 0, 0)[1]
      if oldest and parse(infoOf(p, oldest)).ordinal > 1 then
        return { 'forgotten', key, text(version), oldest }
      end
    end
  end
  return result
end

-- ARGV: 'key' or 'prefix', the path, after and up to which version, from and until which time, limit; '' for none.
local function history(keys, args)
  local p, path = keys[1], args[2]
  if redis.call('EXISTS', p .. ':pool') == 0 then return { 'unknown' } end
  local from, untilTime, limit = tonumber(args[5]), tonumber(args[6]), tonumber(args[7])
  if untilTime then
    local refusal = tooEarly(p, untilTime)
    if refusal then return refusal end
  end
  local result = { 'ok' }
  local log = args[1] == 'key' and p .. ':k:' .. path or p .. ':log'
  for _, version in ipairs(redis.call('ZRANGEBYSCORE', log, '(' .. args[3], args[4] == '' and '+inf' or args[4])) do
    if limit and (#result - 1) / 2 >= limit then break end
    local row = redis.call('HMGET', p .. ':r:' .. version, 'k', 'i')
    local timestamp = parse(row[2]).timestamp
    if untilTime and timestamp > untilTime then break end
    if under(row[1], path) and (not from or timestamp >= from) then
      table.insert(result, row[1])
      table.insert(result, row[2])
    end
  end
  return result
end

local function headOf(keys)
  if redis.call('EXISTS', keys[1] .. ':pool') == 0 then return { 'unknown' } end
  return { 'ok', text((head(keys[1]))) }
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
  for _, version in ipairs(redis.call('ZRANGE', p .. ':log', 0, -1)) do
    loosen(p, parse(infoOf(p, version)), args[1])
    redis.call('DEL', p .. ':r:' .. version)
  end
  for _, key in ipairs(redis.call('ZRANGE', p .. ':keys', 0, -1)) do redis.call('DEL', p .. ':k:' .. key) end
  for _, name in ipairs(redis.call('HKEYS', p .. ':groups')) do dropGroup(p, name) end
  for _, each in ipairs({ 'pool', 'head', 'log', 'times', 'keys', 'events', 'groups', 'wake' }) do redis.call('DEL', p .. ':' .. each) end
  return { 'ok' }
end

redis.register_function('hivemind_write', write)
redis.register_function('hivemind_register', register)
redis.register_function('hivemind_drop', drop)
redis.register_function{ function_name = 'hivemind_read', callback = read, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_history', callback = history, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_head', callback = headOf, flags = { 'no-writes' } }
`
