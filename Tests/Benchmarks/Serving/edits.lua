-- Edits routes that are drawn at random, one after the other on each connection, and each edit
-- changes the document. Ends with a line of JSON.
--
--     wrk -s edits.lua URL -- ROUTES TOKEN FIRST
--
-- Each line of ROUTES is the path of a route in the API; FIRST is the number of the first edit.

local routes = {}
local token, number

function init(arguments)
  for line in io.lines(arguments[1]) do routes[#routes + 1] = line end
  token, number = arguments[2], tonumber(arguments[3])
end

function request()
  number = number + 1
  local body = string.format('{"path": "/edited/%d/*"}', number)
  return string.format(
    "PATCH %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
      .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
    routes[number * 16807 % 2147483647 % #routes + 1], token, #body, body)
end

done = require("summary")
