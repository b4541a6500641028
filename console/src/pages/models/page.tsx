export default function Page() {
  return (
    <div className="column py-8">
      <h1 className="text-2xl">models</h1>
    </div>
  )
}
