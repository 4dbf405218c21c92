// Sends Pi's requests by way of faithfold, for as long as this process lives. `faithfold run` names it to Pi.
export default function (pi) {
  const bases = JSON.parse(process.env.PI_THROUGH_FAITHFOLD ?? "{}");
  for (const [provider, baseUrl] of Object.entries(bases)) {
    pi.registerProvider(provider, { baseUrl });
  }
  // faithfold keeps requests inside the window. What the user asks for, and what an overflow asks for, stays.
  pi.on("session_before_compact", (event) => (event.reason === "threshold" ? { cancel: true } : undefined));
}
