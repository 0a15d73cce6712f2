"""For `jupyter nbconvert --execute --config nbconvert_config.py`: keeps the outputs that arrive late.

Deno's kernel sometimes says that a cell is done while the last of its outputs is still on the way. A
notebook in a browser or an editor takes what comes late; nbclient, which runs notebooks for nbconvert,
throws it away, and the cell looks empty. So this listens a little longer after each cell.
"""

from queue import Empty

from nbclient.client import NotebookClient
from nbclient.util import ensure_async

QUIET_SECONDS = 0.25

poll_until_idle = NotebookClient._async_poll_output_msg


async def poll_until_quiet(client, parent_msg_id, cell, cell_index):
    await poll_until_idle(client, parent_msg_id, cell, cell_index)
    while True:
        try:
            message = await ensure_async(client.kc.iopub_channel.get_msg(timeout=QUIET_SECONDS))
        except Empty:
            return
        if message["parent_header"].get("msg_id") == parent_msg_id:
            client.process_message(message, cell, cell_index)


NotebookClient._async_poll_output_msg = poll_until_quiet
