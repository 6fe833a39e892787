// Asks for an access token when the server wants one. The token goes to the server once and is kept
// nowhere: a cookie that no script can read stands for it, and the page begins anew. Plain DOM, in a
// file of its own: few ever see it, and it must not make the page bigger for everybody.

const FORM = `
  <form class="modal-body">
    <header class="modal-head"><h2 id="sign-in">Sign in</h2></header>
    <label class="field">Access token
      <input type="password" name="token" autocomplete="current-password" placeholder="cp_…"
        aria-describedby="sign-in-help sign-in-wrong" required autofocus />
    </label>
    <p id="sign-in-help">Whoever runs this server makes one with <code>commonplace token create</code>.</p>
    <p id="sign-in-wrong" class="wrong" role="alert"></p>
    <div class="modal-acts"><button type="submit" class="primary">Sign in</button></div>
  </form>`;

let shown = false;

export function askForToken(): void {
  if (shown) return;
  shown = true;
  const box = document.createElement("dialog");
  box.className = "modal";
  box.setAttribute("aria-labelledby", "sign-in");
  box.innerHTML = FORM;
  // Without a token there is nothing to go back to, however often Escape is pressed.
  box.addEventListener("close", () => box.showModal());
  box.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit(box);
  });
  document.body.append(box);
  box.showModal();
}

async function submit(box: HTMLElement): Promise<void> {
  const field = box.querySelector("input")!;
  const button = box.querySelector("button")!;
  button.disabled = true;
  const problem = await signIn(field.value.trim());
  if (!problem) return location.reload();
  button.disabled = false;
  box.querySelector(".wrong")!.textContent = problem;
  field.setAttribute("aria-invalid", "true");
  field.select();
}

/** What is wrong, or nothing. */
async function signIn(token: string): Promise<string> {
  const headers = { "content-type": "application/json", "x-commonplace": "1" };
  try {
    const answer = await fetch("api/session", { method: "POST", headers, body: JSON.stringify({ token }) });
    if (answer.ok) return "";
    return answer.status === 401 ? "That token does not hold: it is mistyped, expired or revoked." : `The server answered ${answer.status}.`;
  } catch {
    return "The server cannot be reached.";
  }
}
