/** Settings from a `.env` file beside the project, where there is one; the environment wins. */
export function loadEnvFile(): void {
  try {
    process.loadEnvFile()
  } catch (error) {
    // No .env file: the environment is all there is.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
