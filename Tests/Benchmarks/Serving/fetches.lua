-- Asks for the association file of hosts that are drawn at random, and ends with a line of JSON.
--
--     wrk -s fetches.lua URL -- REQUESTS
--
-- Each line of REQUESTS is a request: its host, then its further fields, with tabs between. All
-- requests are made before the clock starts.

local requests = {}
local count = 0
local drawn = 42

function init(arguments)
  for line in io.lines(arguments[1]) do
    count = count + 1
    requests[count] = "GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: "
      .. line:gsub("\t", "\r\n") .. "\r\n\r\n"
  end
end

-- Lehmer's generator: one multiplication, exact in a double.
function request()
  drawn = drawn * 16807 % 2147483647
  return requests[drawn % count + 1]
end

done = require("summary")
