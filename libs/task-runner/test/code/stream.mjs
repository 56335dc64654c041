export function* run() {
  for (let i = 0; i < 5; i++) yield { i }
}
