const error = document.getElementById('error');

document.getElementById('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  error.textContent = '';
  const token = document.getElementById('token').value.trim();
  try {
    const answer = await fetch('/sign-in', { method: 'POST', body: token });
    if (answer.ok) {
      location.assign('/');
    } else {
      error.textContent = (await answer.text()).trim();
    }
  } catch {
    error.textContent = 'The server does not answer.';
  }
});
