/** The page that asks for the password: no script, no file beside it. */
export const loginPage = (wrong: boolean) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>HiveMind: sign in</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; background: light-dark(#f5f6f8, #14171c); color: light-dark(#1b1f24, #e8eaed) }
form { display: grid; gap: .75rem; width: min(20rem, 90vw); padding: 2rem; border-radius: .75rem; background: light-dark(#fff, #1d2127) }
h1 { margin: 0; font-size: 1.25rem }
input, button { font: inherit; padding: .5rem .75rem; border-radius: .4rem; border: 1px solid light-dark(#8b929b, #6b737d) }
button { background: #1d5fd1; color: #fff; border-color: #1d5fd1; cursor: pointer }
p { margin: 0; color: light-dark(#b3261e, #ff9d94) }
</style>
</head>
<body>
<main>
<form method="post" action="/api/session">
<h1>HiveMind</h1>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
${wrong ? '<p role="alert">That is not the password, or there were too many attempts. Wait a little and try again.</p>' : ''}
<button>Sign in</button>
</form>
</main>
</body>
</html>
`
