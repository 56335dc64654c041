/**
 * What the store does inside Redis for lambdas. The members of a group share its objects, which wait in streams with a consumer
 * group: an object is given to one member, and to another when that one was silent for longer than a lease.
 *
 *     P:groups  groups: on, order, limit, policy, lease in ms, named, prefix
 *     P:g:G     a group: done, failed, dropped, seen; of queue Q added:Q and given:Q, the last number of each
 *     P:q:G:Q   queue Q: objects that wait or run, numbered from 1
 *     P:wake    stream whose last entry says that an object was queued
 *
 * A group ordered by key has several queues, and of each at most one object runs at a time.
 */
export const GROUP_FUNCTIONS = `
local QUEUES = 32
local DESERTED_US = 24 * 3600 * 1000000

local function groupOf(spec)
  local on, order, limit, policy, lease, named, prefix =
    string.match(spec, '^(%w+)|(%w+)|(%d+)|([%w-]+)|(%d+)|(%d)|(.*)$')
  return {
    on = on, order = order, limit = tonumber(limit), policy = policy, lease = tonumber(lease), named = named == '1',
    prefix = prefix,
  }
end

local function queuesOf(group) return group.order == 'key' and QUEUES or 1 end
local function streamOf(p, name, queue) return p .. ':q:' .. name .. ':' .. queue end

local function under(path, prefix)
  return path == prefix or string.sub(path, 1, #prefix + 1) == prefix .. '/'
end

local function dropGroup(p, name)
  for queue = 0, QUEUES - 1 do redis.call('DEL', streamOf(p, name, queue)) end
  redis.call('DEL', p .. ':g:' .. name)
  redis.call('HDEL', p .. ':groups', name)
end

-- Whether all members of a group have been silent for so long that it has none.
local function deserted(p, name, group)
  local silent = now() - tonumber(redis.call('HGET', p .. ':g:' .. name, 'seen') or 0)
  return silent > (group.named and DESERTED_US or 3000 * group.lease)
end

-- The groups by name. Those that are deserted are dropped.
local function groupsOf(p)
  local groups = {}
  local rows = redis.call('HGETALL', p .. ':groups')
  for at = 1, #rows, 2 do
    local name, group = rows[at], groupOf(rows[at + 1])
    if deserted(p, name, group) then dropGroup(p, name) else groups[name] = group end
  end
  return groups
end

local function counter(p, name, field) return tonumber(redis.call('HGET', p .. ':g:' .. name, field) or 0) end

-- Queues an object for the groups that it matches. Adds to the tickets of those whose writer has to wait for room.
local function enqueue(p, groups, on, key, type, id, info, bytes, tickets)
  for name, group in pairs(groups) do
    if under(key, group.prefix) and (group.on == 'both' or group.on == on) then
      local queue = 0
      if group.order == 'key' then queue = tonumber(string.sub(redis.sha1hex(key), 1, 6), 16) % QUEUES end
      local g, stream = p .. ':g:' .. name, streamOf(p, name, queue)
      if redis.call('EXISTS', stream) == 0 then redis.call('XGROUP', 'CREATE', stream, 'g', '0', 'MKSTREAM') end
      local added, given = counter(p, name, 'added:' .. queue), counter(p, name, 'given:' .. queue)
      local full = added - given >= group.limit
      if full and group.policy ~= 'wait' then redis.call('HINCRBY', g, 'dropped', 1) end
      if full and group.policy == 'drop-oldest' then
        local oldest = text(given + 1)
        redis.call('XDEL', stream, oldest .. '-0')
        redis.call('XGROUP', 'SETID', stream, 'g', oldest .. '-0')
        redis.call('HSET', g, 'given:' .. queue, oldest)
      end
      if not full or group.policy ~= 'drop-newest' then
        local number = text(added + 1)
        redis.call('HSET', g, 'added:' .. queue, number)
        redis.call('XADD', stream, number .. '-0', 'k', key, 't', type, 'd', id, 'i', info, 'b', bytes or '', 'h', bytes and '1' or '0')
        redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
        if full and group.policy == 'wait' then table.insert(tickets, table.concat({ name, queue, number }, '|')) end
      end
    end
  end
end

-- ARGV: key, type, id, bytes. Answers with tickets.
local function trigger(keys, args)
  local p = keys[1]
  if redis.call('EXISTS', p .. ':pool') == 0 then return { 'unknown' } end
  local result = { 'ok' }
  enqueue(p, groupsOf(p), 'trigger', args[1], args[2], args[3], '', args[4], result)
  return result
end

-- ARGV: tickets. Answers with those whose objects still have no room.
local function room(keys, args)
  local p, result = keys[1], { 'ok' }
  for _, ticket in ipairs(args) do
    local name, queue, number = string.match(ticket, '^([^|]+)|(%d+)|(%d+)$')
    local spec = redis.call('HGET', p .. ':groups', name)
    local group = spec and groupOf(spec)
    local full = group and tonumber(number) - counter(p, name, 'given:' .. queue) > group.limit
    if full and not deserted(p, name, group) then table.insert(result, ticket) end
  end
  return result
end

-- ARGV: name, spec. Answers with the spec of a group that is there already and differs.
local function join(keys, args)
  local p, name = keys[1], args[1]
  if redis.call('EXISTS', p .. ':pool') == 0 then return { 'unknown' } end
  if not groupsOf(p)[name] then redis.call('HSET', p .. ':groups', name, args[2]) end
  local spec = redis.call('HGET', p .. ':groups', name)
  if spec ~= args[2] then return { 'differs', spec } end
  redis.call('HSET', p .. ':g:' .. name, 'seen', text(now()))
  return { 'ok' }
end

local function delivered(result, stream, queue, entries, attempt)
  for _, entry in ipairs(entries) do
    local fields = {}
    for at = 1, #entry[2], 2 do fields[entry[2][at]] = entry[2][at + 1] end
    for _, value in ipairs({ tostring(queue), entry[1], attempt, fields.k, fields.t, fields.d, fields.i, fields.h, fields.b }) do
      table.insert(result, value)
    end
  end
end

-- ARGV: name, member, largest number of objects, first queue to look at. Answers with nine texts for each object.
local function take(keys, args)
  local p, name, member, missing = keys[1], args[1], args[2], tonumber(args[3])
  local spec = redis.call('HGET', p .. ':groups', name)
  if not spec then return { 'gone' } end
  local group, result = groupOf(spec), { 'ok' }
  local queues = queuesOf(group)
  for turn = 0, queues - 1 do
    local queue = (args[4] + turn) % queues
    local stream = streamOf(p, name, queue)
    if missing > 0 and redis.call('XLEN', stream) > 0 then
      for _, late in ipairs(redis.call('XPENDING', stream, 'g', 'IDLE', group.lease, '-', '+', missing)) do
        local claimed = redis.call('XCLAIM', stream, 'g', member, group.lease, late[1])
        delivered(result, stream, queue, claimed, text(late[4] + 1))
        missing = missing - #claimed
      end
      local busy = group.order == 'key' and redis.call('XPENDING', stream, 'g')[1] > 0
      if missing > 0 and not busy then
        local count = group.order == 'key' and 1 or missing
        local answer = redis.call('XREADGROUP', 'GROUP', 'g', member, 'COUNT', count, 'STREAMS', stream, '>')
        local entries = answer and answer[1] and answer[1][2] or {}
        delivered(result, stream, queue, entries, '1')
        missing = missing - #entries
        if #entries > 0 then
          redis.call('HSET', p .. ':g:' .. name, 'given:' .. queue, (string.match(entries[#entries][1], '^%d+')))
        end
      end
    end
  end
  return result
end

local function holdsEntry(stream, member, id)
  if redis.call('EXISTS', stream) == 0 then return false end
  return #redis.call('XPENDING', stream, 'g', id, id, 1, member) > 0
end

-- ARGV: name, member, queue, id, 'done' or 'failed'. What another member has taken over is left to it.
local function settle(keys, args)
  local p, name, member, queue, id = keys[1], args[1], args[2], args[3], args[4]
  local stream = streamOf(p, name, queue)
  if not holdsEntry(stream, member, id) then return { 'ok' } end
  redis.call('XACK', stream, 'g', id)
  redis.call('XDEL', stream, id)
  redis.call('HINCRBY', p .. ':g:' .. name, args[5], 1)
  redis.call('XADD', p .. ':wake', 'MAXLEN', '=', '1', '*', 'q', '')
  return { 'ok' }
end

-- ARGV: name, member, then queue and id of each object that the member runs: it goes on holding them.
local function beat(keys, args)
  local p, name, member = keys[1], args[1], args[2]
  if redis.call('HEXISTS', p .. ':groups', name) == 0 then return { 'gone' } end
  redis.call('HSET', p .. ':g:' .. name, 'seen', text(now()))
  for at = 3, #args, 2 do
    local stream = streamOf(p, name, args[at])
    if holdsEntry(stream, member, args[at + 1]) then
      redis.call('XCLAIM', stream, 'g', member, '0', args[at + 1], 'JUSTID')
    end
  end
  return { 'ok' }
end

-- ARGV: name. Answers with the numbers of objects that are queued, running, done, failed, dropped.
local function statistics(keys, args)
  local p, name = keys[1], args[1]
  if redis.call('EXISTS', p .. ':g:' .. name) == 0 then return { 'gone' } end
  local queued, running = 0, 0
  for queue = 0, QUEUES - 1 do
    local stream = streamOf(p, name, queue)
    queued = queued + counter(p, name, 'added:' .. queue) - counter(p, name, 'given:' .. queue)
    if redis.call('EXISTS', stream) == 1 then running = running + redis.call('XPENDING', stream, 'g')[1] end
  end
  local result = { 'ok', text(queued), text(running) }
  for _, field in ipairs({ 'done', 'failed', 'dropped' }) do table.insert(result, text(counter(p, name, field))) end
  return result
end

-- ARGV: name of a group whose only member closes. Drops what waits; what runs may still be settled.
local function shut(keys, args)
  local p, name = keys[1], args[1]
  local g = p .. ':g:' .. name
  redis.call('HDEL', p .. ':groups', name)
  for queue = 0, QUEUES - 1 do
    local added = counter(p, name, 'added:' .. queue)
    if added > 0 then
      redis.call('HINCRBY', g, 'dropped', text(added - counter(p, name, 'given:' .. queue)))
      redis.call('HSET', g, 'given:' .. queue, text(added))
      redis.call('PEXPIRE', streamOf(p, name, queue), 3600000)
    end
  end
  redis.call('PEXPIRE', g, 3600000)
  return { 'ok' }
end

-- ARGV: name, member. A group that was shut ends. Answers with its statistics.
local function leave(keys, args)
  local p, name, member = keys[1], args[1], args[2]
  local result = statistics(keys, args)
  if redis.call('HEXISTS', p .. ':groups', name) == 0 then
    dropGroup(p, name)
    return result
  end
  for queue = 0, QUEUES - 1 do
    local stream = streamOf(p, name, queue)
    if redis.call('EXISTS', stream) == 1 and #redis.call('XPENDING', stream, 'g', '-', '+', 1, member) == 0 then
      redis.call('XGROUP', 'DELCONSUMER', stream, 'g', member)
    end
  end
  return result
end

redis.register_function('hivemind_trigger', trigger)
redis.register_function('hivemind_join', join)
redis.register_function('hivemind_take', take)
redis.register_function('hivemind_settle', settle)
redis.register_function('hivemind_beat', beat)
redis.register_function('hivemind_shut', shut)
redis.register_function('hivemind_leave', leave)
redis.register_function{ function_name = 'hivemind_room', callback = room, flags = { 'no-writes' } }
redis.register_function{ function_name = 'hivemind_statistics', callback = statistics, flags = { 'no-writes' } }
`
