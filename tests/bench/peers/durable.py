"""What a user would write next: the same with a commit before each message.   usage: durable.py TTY PORT DATABASE"""

import asyncio
import json
import sqlite3
import sys
import time

import aiomqtt
import serial_asyncio_fast


async def main(tty: str, port: int, path: str) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, body TEXT, sent INTEGER DEFAULT 0)")
    reader, _ = await serial_asyncio_fast.open_serial_connection(url=tty, baudrate=115200)
    async with aiomqtt.Client("127.0.0.1", port) as client:
        while line := await reader.readline():
            body = json.dumps({"time": time.time(), "line": line.decode("ascii", "replace").strip()})
            number = db.execute("INSERT INTO event (body) VALUES (?)", (body,)).lastrowid
            await client.publish("peer/events", body, qos=1)
            db.execute("UPDATE event SET sent = 1 WHERE id = ?", (number,))


asyncio.run(main(sys.argv[1], int(sys.argv[2]), sys.argv[3]))
