"""The port to a broker, over aiomqtt or in memory."""
