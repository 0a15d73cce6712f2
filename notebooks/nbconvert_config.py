"""For `jupyter nbconvert --config nbconvert_config.py`, which else loses outputs in two ways.

1. Deno's kernel sometimes says that a cell is done while the last of its outputs is still on the way. A
   notebook in a browser or in an editor takes what comes late; nbclient, which runs notebooks for
   nbconvert, throws it away, and the cell looks empty. So this asks the kernel something else after
   each cell, and listens until that is answered and nothing more comes.
2. nbconvert 6.5 cleans SVG pictures as if they were text, and leaves nothing of them in a page. So they
   go into the page as images, which need no cleaning: nothing in an image can run.
"""

from base64 import b64encode
from queue import Empty

from nbclient.client import NotebookClient
from nbclient.util import ensure_async
from nbconvert.exporters.templateexporter import default_filters

QUIET_SECONDS = 0.05
PATIENCE_SECONDS = 5

poll_until_idle = NotebookClient._async_poll_output_msg
clean_html = default_filters.get("clean_html")


async def poll_until_quiet(client, parent_msg_id, cell, cell_index):
    await poll_until_idle(client, parent_msg_id, cell, cell_index)
    question = client.kc.kernel_info()
    timeout = PATIENCE_SECONDS
    while True:
        try:
            message = await ensure_async(client.kc.iopub_channel.get_msg(timeout=timeout))
        except Empty:
            return
        parent = message["parent_header"].get("msg_id")
        if parent == parent_msg_id:
            client.process_message(message, cell, cell_index)
        elif parent == question and message["content"].get("execution_state") == "idle":
            timeout = QUIET_SECONDS


def svg_as_image(text):
    if not str(text).lstrip().startswith("<svg"):
        return clean_html(text)
    return f'<img src="data:image/svg+xml;base64,{b64encode(str(text).encode()).decode()}">'


NotebookClient._async_poll_output_msg = poll_until_quiet
if clean_html is not None:
    c.TemplateExporter.filters = {"clean_html": svg_as_image}  # noqa: F821 (Jupyter gives c)
