/** What the store reads inside Redis. */
export const READ_FUNCTIONS = `
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
  return keptAt(p, pool, value) or 0
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
    local record = newest(p, pool, key, limit)
    if record then
      if not parse(record).removed then
        table.insert(result, key)
        table.insert(result, args[3] == 'bytes' and record or infoOf(record))
      end
    else
      local oldest = following(p, pool, key, version, 1)[1]
      local entry = oldest and parse(oldest)
      if entry and entry.ordinal > 1 then return { 'forgotten', key, limit, entry.version } end
    end
  end
  return result
end

-- The record of a key at a moment that is past. ARGV: key, kind and value of the moment. Nothing when 'read' has to answer.
local function get(keys, args)
  local p, value = keys[1], args[3]
  local version, timestamp, single = string.match(redis.call('GET', p .. ':head') or '', '^(%d+)|(%d+)|%a+|(%d)')
  local last = args[2] == 'time' and timestamp or version
  if not last or tonumber(last) < tonumber(value) then return false end
  local pool = { single = single == '1' }
  if args[2] == 'time' then
    value = keptAt(p, pool, value)
    if not value then return false end
    value = text(value)
  end
  return newest(p, pool, args[1], value) or false
end

-- Rank in the log of the first version after a given one. Versions grow with timestamps.
local function rankAfter(p, pool, version)
  local low, high = 0, redis.call('ZCARD', p .. ':log')
  while low < high do
    local middle = math.floor((low + high) / 2)
    local entry = redis.call('ZRANGE', p .. ':log', middle, middle)[1]
    if loggedVersion(p, pool, entry) <= version then low = middle + 1 else high = middle end
  end
  return low
end

-- Calls visit with key and record of the kept versions after one, of a key or of all keys, until it returns true.
local function eachVersion(p, pool, key, after, visit)
  local rank = not key and rankAfter(p, pool, after)
  repeat
    local page = key and following(p, pool, key, after, PAGE) or redis.call('ZRANGE', p .. ':log', rank, rank + PAGE - 1)
    for _, each in ipairs(page) do
      local name, record = key, each
      if not key then name, record = logged(p, pool, each) end
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
  eachVersion(p, pool, args[1] == 'key' and path, tonumber(args[3]), function(key, record)
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

-- Answers with the version of the last write, and whether only the newest version of a key is kept.
local function head(keys)
  local pool = poolOf(keys[1])
  return pool and { 'ok', pool.last, pool.single and '1' or '0' } or { 'unknown' }
end

redis.register_function{ function_name = 'hivemind_get', callback = get, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_read', callback = read, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_history', callback = history, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_head', callback = head, flags = { 'no-writes' } }
`
