"""Deno's kernel with our module imported, by the test suite that Jupyter has for kernels.

Run by kernel_test.ts. It starts one kernel in the current folder, beside which mod.ts lies.
"""

import threading
import time
import unittest
from queue import Empty

import jupyter_client.manager
import jupyter_kernel_test

IMPORT = """
import {
  blockchainComparison, cohortAnalysis, connect, metricBreakdown, pl, plotRetention, pooledRetention,
  projectContracts, retentionCurves,
} from "../mod.ts";
"""

UNKNOWN_CHAIN = """
await metricBreakdown(
  { metric_ids: ["fees"], interval: "30d", group_by: "chains", chain_ids: ["atlantis"] },
  connect({ onMissing: "throw" }),
)
"""

WRONG_TOKEN = """
const guard = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen() {} },
  () => Response.json({ message: "This token is not known here" }, { status: 401 }),
);
try {
  await blockchainComparison({}, connect({
    baseUrl: `http://127.0.0.1:${guard.addr.port}`,
    token: "hunter2",
  }));
} finally {
  await guard.shutdown();
}
"""

LONG_CALL = """
const slow = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 400));
  return Response.json({ data: [] });
});
const long = connect({
  baseUrl: `http://127.0.0.1:${slow.addr.port}`,
  token: "hunter2",
  concurrency: 1,
  maxUrlLength: 100,
  onMissing: "ignore",
});
await projectContracts({ project_ids: ["a", "b", "c", "d"].map((id) => id.repeat(30)) }, long);
await slow.shutdown();
"""

SLEEPING_SERVICE = """
const sleeping = Deno.serve(
  { port: 0, hostname: "127.0.0.1", onListen() {} },
  () => new Promise<Response>(() => {}),
);
const kept = 42;
const never = connect({ baseUrl: `http://127.0.0.1:${sleeping.addr.port}`, token: "hunter2" });
"""


class ChainframeInDeno(jupyter_kernel_test.KernelTests):
    kernel_name = "deno"
    language_name = "typescript"
    file_extension = ".ts"

    code_hello_world = 'console.log("hello, world", typeof cohortAnalysis)'
    code_stderr = 'console.error("for the other stream")'
    code_generate_error = UNKNOWN_CHAIN
    code_execute_result = [
        {"code": "1 + 2", "result": "3"},
        {"code": "await cohortAnalysis({ limit: 3 })", "mime": "text/html"},
        {"code": "await cohortAnalysis({ limit: 3 })", "mime": "text/plain"},
        {
            "code": "plotRetention(pooledRetention(retentionCurves(await cohortAnalysis())))",
            "mime": "image/png",
        },
    ]
    code_display_data = [
        {"code": "await Deno.jupyter.display(await cohortAnalysis({ limit: 3 }))", "mime": "text/html"},
    ]
    completion_samples = [
        {"text": "cohortAnal", "matches": {"cohortAnalysis"}},
        {"text": "await cohortAnal", "matches": {"cohortAnalysis"}},
        {"text": "cohortAnalysis("},
    ]
    complete_code_samples = ["cohortAnalysis();"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kc.execute_interactive(IMPORT, timeout=30, output_hook=lambda message: None)
        # The first question starts the embedded service, and says so.
        cls.kc.execute_interactive("await cohortAnalysis({ limit: 1 })", timeout=30, output_hook=print)

    def execute_helper(self, code, timeout=15, silent=False, store_history=True, stop_on_error=True):
        """Like theirs, but takes what comes after "idle", which Deno's kernel can send too early."""
        msg_id = self.kc.execute(
            code, silent=silent, store_history=store_history, stop_on_error=stop_on_error
        )
        reply = self.get_non_kernel_info_reply(timeout=timeout)
        jupyter_kernel_test.validate_message(reply, "execute_reply", msg_id)
        question = self.kc.kernel_info()
        outputs = []
        timeout = 5
        while True:
            try:
                message = self.kc.get_iopub_msg(timeout=timeout)
            except Empty:
                return reply, outputs
            if message["parent_header"]["msg_id"] == question:
                timeout = 0.05
                continue
            jupyter_kernel_test.validate_message(message, message["msg_type"], msg_id)
            if message["msg_type"] not in ("status", "execute_input"):
                outputs.append(message)

    def error_of(self, code):
        self.flush_channels()
        _, outputs = self.execute_helper(code)
        [error] = [message["content"] for message in outputs if message["msg_type"] == "error"]
        return error["ename"], error["evalue"]

    def completions_of(self, code):
        self.flush_channels()
        self.kc.complete(code, len(code))
        return self.get_non_kernel_info_reply(timeout=15)["content"]["matches"]

    def test_a_namespace_completes_its_functions(self):
        self.execute_helper('import * as cf from "../mod.ts";')
        self.assertEqual(self.completions_of("cf.plotTi"), ["plotTimeline"])
        self.assertGreater(len(self.completions_of("cf.")), 70)

    def test_frames_complete_methods_and_columns(self):
        self.execute_helper(
            "const ours = await cohortAnalysis({ limit: 1 });"
            'const bare = pl.DataFrame({ chain_id: ["a"] });'
            "const [ourLazy, bareLazy] = [ours.lazy(), bare.lazy()];"
            'const [ourGroups, bareGroups] = [ours.groupBy("cohort"), bare.groupBy("chain_id")];'
        )
        completions = self.completions_of("ours.")
        for name in ["project_id", "month_11", "filter", "groupBy", "toRecords"]:
            self.assertIn(name, completions)
        self.assertEqual(self.completions_of("ourLazy."), self.completions_of("bareLazy."))
        self.assertEqual(self.completions_of("ourGroups."), self.completions_of("bareGroups."))
        self.assertIn("collectSync", self.completions_of("ourLazy."))

    def test_an_interrupt_ends_the_call_and_keeps_the_variables(self):
        self.execute_helper(SLEEPING_SERVICE)
        self.flush_channels()
        threading.Timer(2, self.km.interrupt_kernel).start()
        _, outputs = self.execute_helper("await blockchainComparison({}, never)")
        [error] = [message["content"] for message in outputs if message["msg_type"] == "error"]
        self.assertEqual(error["ename"], "AbortError")
        reply, outputs = self.execute_helper("kept")
        self.assertEqual(reply["content"]["status"], "ok")
        [result] = [message["content"] for message in outputs if "data" in message["content"]]
        self.assertIn("42", result["data"]["text/plain"])

    def test_an_unknown_chain_is_named(self):
        self.assertEqual(
            self.error_of(UNKNOWN_CHAIN),
            ("NotFoundError", "metric_breakdown: not found: chain_ids atlantis"),
        )

    def test_a_wrong_token_is_understood_and_not_shown(self):
        name, text = self.error_of(WRONG_TOKEN)
        self.assertEqual(name, "HttpError")
        self.assertIn("401: This token is not known here", text)
        self.assertNotIn("hunter2", text)

    def test_a_long_call_shows_one_line_that_changes_in_place(self):
        self.flush_channels()
        reply, outputs = self.execute_helper(LONG_CALL)
        self.assertEqual(reply["content"]["status"], "ok")
        first, *updates = outputs
        self.assertEqual(first["msg_type"], "display_data")
        self.assertEqual({m["msg_type"] for m in updates}, {"update_display_data"})
        ids = {message["content"]["transient"]["display_id"] for message in outputs}
        self.assertEqual(len(ids), 1)
        last = updates[-1]["content"]["data"]["text/plain"]
        self.assertRegex(last, r"^project_contracts: 4 of 4 requests in \d+\.\d s$")

    def test_a_second_interrupt_in_haste_keeps_the_variables(self):
        self.execute_helper(SLEEPING_SERVICE)
        self.flush_channels()
        for seconds in (2, 2.5):
            threading.Timer(seconds, self.km.interrupt_kernel).start()
        self.execute_helper("await blockchainComparison({}, never)")
        time.sleep(1)
        _, outputs = self.execute_helper("kept")
        [result] = [message["content"] for message in outputs if "data" in message["content"]]
        self.assertIn("42", result["data"]["text/plain"])


CALL_AFTER_CALL = """
for (let call = 0; call < 10; call++) {
  console.log(`call ${call}`);
  try { await blockchainComparison({}, never); } catch { /* the next one */ }
}
"""

SYNCHRONOUS_LOOP = """
const short = connect({
  baseUrl: `http://127.0.0.1:${sleeping.addr.port}`,
  token: "hunter2",
  timeout: 100,
  retries: 0,
});
try { await blockchainComparison({}, short); } catch { /* in time for the loop */ }
while (true);
"""


class KernelsThatEnd(unittest.TestCase):
    """Kernels that an interrupt ends, or that only a restart ends."""

    def setUp(self):
        self.km, self.kc = jupyter_client.manager.start_new_kernel(kernel_name="deno")
        self.addCleanup(self.km.shutdown_kernel, now=True)
        self.addCleanup(self.kc.stop_channels)
        self.kc.execute_interactive(IMPORT + SLEEPING_SERVICE, timeout=30)

    def wait_for_text(self, text):
        while text not in self.kc.get_iopub_msg(timeout=15)["content"].get("text", ""):
            pass

    def test_a_second_interrupt_ends_the_kernel_if_the_cell_still_runs(self):
        self.kc.execute(CALL_AFTER_CALL)
        for call in range(2):
            self.wait_for_text(f"call {call}")
            time.sleep(0.5)
            self.assertTrue(self.km.is_alive())
            self.km.interrupt_kernel()
        for _ in range(100):
            if not self.km.is_alive():
                return
            time.sleep(0.1)
        self.fail("the kernel still runs")

    def test_a_synchronous_loop_needs_a_restart(self):
        self.kc.execute(SYNCHRONOUS_LOOP)
        for _ in range(2):
            time.sleep(2)
            self.km.interrupt_kernel()
        with self.assertRaises(Empty):
            self.kc.get_shell_msg(timeout=3)
        self.assertTrue(self.km.is_alive())
        self.km.restart_kernel(now=True)
        self.kc.wait_for_ready(timeout=30)
        reply = self.kc.execute_interactive("1 + 2", timeout=30, output_hook=lambda message: None)
        self.assertEqual(reply["content"]["status"], "ok")


if __name__ == "__main__":
    unittest.main()
