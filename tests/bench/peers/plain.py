"""What a user would write first: a serial port, a broker, no journal.   usage: plain.py TTY PORT"""

import asyncio
import json
import sys
import time

import aiomqtt
import serial_asyncio_fast


async def main(tty: str, port: int) -> None:
    reader, _ = await serial_asyncio_fast.open_serial_connection(url=tty, baudrate=115200)
    async with aiomqtt.Client("127.0.0.1", port) as client:
        while line := await reader.readline():
            body = {"time": time.time(), "line": line.decode("ascii", "replace").strip()}
            await client.publish("peer/events", json.dumps(body), qos=1)


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
