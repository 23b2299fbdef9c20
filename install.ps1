<#
.SYNOPSIS
Installs Skein for the user who runs it.
.DESCRIPTION
Fetches the binary for this system from a release, verifies it against the SHA256SUMS of that release, and only then
lets it take the place of an older one. Nothing that was not verified is run. When anything fails the old binary stays
as it was, and nothing temporary is left, also after Ctrl-C. Exit codes: 0 installed, 1 not installed.

SKEIN_VERSION      the version, such as 0.1.0; the newest where neither it nor an argument is given
SKEIN_INSTALL_DIR  the folder; %LOCALAPPDATA%\Programs\skein where it is not given
SKEIN_RELEASE_URL  the address of the releases, in the place of the one below
.PARAMETER Version
The version, such as 0.1.0.
.EXAMPLE
powershell -ExecutionPolicy Bypass -File install.ps1 0.1.0
#>
param([string] $Version)

# A block of its own: piped into Invoke-Expression, the script leaves nothing behind in the session of the user.
& {
  param([string] $Version)
  Set-StrictMode -Version 3.0
  $ErrorActionPreference = 'Stop'

  # The address of the releases, which the owner of the project sets. Under it are, as GitHub has them,
  # `latest/download/FILE` and `download/vVERSION/FILE`.
  $ReleaseUrl = ''

  $Sums = 'SHA256SUMS'
  $PatienceSeconds = 60
  # How often a server may lead on to another address.
  $Redirects = 5
  $PollMilliseconds = 50

  # Says what is wrong and what to do next.
  function Stop-Install([string] $What, [string] $Next) {
    throw "$What`n       $Next"
  }

  # Whether nobody on the way can change what comes from an address.
  function Test-Closed([string] $Url) {
    return $Url -cmatch '^(https://|http://(127\.0\.0\.1|localhost)(:[0-9]+)?(/[^@]*)?$)'
  }

  # The address of the files of the chosen version.
  function Get-ReleaseAddress {
    $base = if ($env:SKEIN_RELEASE_URL) { $env:SKEIN_RELEASE_URL } else { $ReleaseUrl }
    $base = $base.TrimEnd('/')
    if (-not $base) {
      Stop-Install 'Cannot install: no address of the releases is known' `
        'Set SKEIN_RELEASE_URL to it, such as https://github.com/OWNER/REPOSITORY/releases'
    }
    # The list of digests comes from the same place: on an open connection it would prove nothing.
    if (-not (Test-Closed $base)) {
      Stop-Install "Cannot install from `"$base`": the address of the releases must begin with https://" `
        'Set SKEIN_RELEASE_URL to one that does; http:// is for a server on this machine only'
    }
    $wanted = if ($Version) { $Version } elseif ($env:SKEIN_VERSION) { $env:SKEIN_VERSION } else { 'latest' }
    if ($wanted -ceq 'latest') { return "$base/latest/download" }
    if ($wanted -cnotmatch '^[0-9A-Za-z.+][0-9A-Za-z.+-]*$') {
      Stop-Install "Cannot install version `"$wanted`": that is not a version" 'Give one such as 0.1.0'
    }
    return "$base/download/v$($wanted -creplace '^v', '')"
  }

  # The name of the binary for this system.
  function Get-FileName {
    if ($env:OS -cne 'Windows_NT') {
      Stop-Install 'Cannot install: this script is for Windows' 'Run install.sh'
    }
    # A process of 32 bits sees its own processor first.
    $machine = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
    switch ($machine) {
      'AMD64' { return 'skein-x86_64-pc-windows-msvc.exe' }
      'ARM64' { return 'skein-aarch64-pc-windows-msvc.exe' }
    }
    Stop-Install "Cannot install: there is no binary for Windows on $machine, only on x86_64 and aarch64" `
      'Run Skein from its source with Deno: README.md says how'
  }

  # The folder of the binary, as an absolute path.
  function Get-Folder {
    if ($env:SKEIN_INSTALL_DIR) {
      return $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($env:SKEIN_INSTALL_DIR)
    }
    if (-not $env:LOCALAPPDATA) {
      Stop-Install 'Cannot choose a folder: LOCALAPPDATA is not set' 'Set it or SKEIN_INSTALL_DIR'
    }
    return [IO.Path]::Combine($env:LOCALAPPDATA, 'Programs', 'skein')
  }

  # Waits in small pieces, so that Ctrl-C is seen, and as long as the file grows, where there is one.
  function Wait-Task($Task, $File) {
    $length = 0
    $idle = [Diagnostics.Stopwatch]::StartNew()
    while (-not $Task.IsCompleted) {
      Start-Sleep -Milliseconds $PollMilliseconds
      if ($null -ne $File -and $File.Position -ne $length) {
        $length = $File.Position
        $idle.Restart()
      }
      if ($idle.Elapsed.TotalSeconds -gt $PatienceSeconds) { throw "nothing has come for $PatienceSeconds s" }
    }
    return $Task.GetAwaiter().GetResult()
  }

  # Asks for an address, and writes what comes to a path. Gives the address that it leads on to instead, if it does.
  function Receive-Answer([string] $Url, [string] $Path) {
    $request = [Net.WebRequest]::Create($Url)
    $request.AllowAutoRedirect = $false
    $request.UserAgent = 'skein-install'
    try {
      $response = Wait-Task $request.GetResponseAsync() $null
      if ([int] $response.StatusCode -ge 300) {
        $place = $response.Headers['Location']
        if (-not $place) { throw "the answer is $([int] $response.StatusCode)" }
        return (New-Object Uri ([Uri] $Url), $place).AbsoluteUri
      }
      $file = [IO.File]::Create($Path)
      try { [void] (Wait-Task $response.GetResponseStream().CopyToAsync($file) $file) } finally { $file.Dispose() }
      return ''
    } finally {
      $request.Abort()
    }
  }

  # Downloads a file of the release to a path. Each address that it is led on to is looked at before anything is asked
  # there: Windows PowerShell itself would go on from https:// to http://.
  function Receive-File([string] $Url, [string] $Path) {
    [Console]::Error.WriteLine("skein: downloads $Url")
    $next = 'Check the version, SKEIN_RELEASE_URL and the connection, and run this again'
    $at = $Url
    for ($hops = 0; $hops -le $Redirects; $hops++) {
      try {
        $place = Receive-Answer $at $Path
      } catch {
        Stop-Install "Cannot download `"$Url`": $($_.Exception.GetBaseException().Message)" $next
      }
      if (-not $place) { return }
      if (-not (Test-Closed $place) -or ($at.StartsWith('https://') -and -not $place.StartsWith('https://'))) {
        Stop-Install "Cannot download `"$Url`": it leads to `"$place`", which does not begin with https://" $next
      }
      $at = $place
    }
    Stop-Install "Cannot download `"$Url`": it leads on more than $Redirects times" $next
  }

  # What the list of the release says about the file.
  function Find-Digest([string] $List, [string] $Name, [string] $Url) {
    $next = 'The release is incomplete: choose another version with SKEIN_VERSION, and tell those who publish Skein'
    $digests = @()
    foreach ($line in [IO.File]::ReadAllLines($List)) {
      $words = $line -split ' [ *]', 2
      if ($words.Count -ne 2 -or $words[1] -cne $Name) { continue }
      if ($words[0] -cnotmatch '^[0-9a-f]{64}$') {
        Stop-Install "Cannot verify a download: `"$Url`" has no SHA-256 digest for `"$Name`"" $next
      }
      $digests += $words[0]
    }
    if ($digests.Count -gt 1) { Stop-Install "Cannot verify a download: `"$Url`" names `"$Name`" twice" $next }
    if ($digests.Count -eq 0) { Stop-Install "Cannot verify a download: `"$Url`" does not name `"$Name`"" $next }
    return $digests[0]
  }

  function Get-Digest([string] $Path) {
    $stream = [IO.File]::OpenRead($Path)
    $sha256 = [Security.Cryptography.SHA256]::Create()
    try {
      return [BitConverter]::ToString($sha256.ComputeHash($stream)).Replace('-', '').ToLowerInvariant()
    } finally {
      $sha256.Dispose()
      $stream.Dispose()
    }
  }

  # What does not start here must not replace what does. Gives the version that the binary names.
  function Test-Start([string] $Path, [string] $Url) {
    # PowerShell runs elsewhere too, where a file needs the right to be run; the tests of this script do that.
    if ([Environment]::OSVersion.Platform -eq 'Unix') { & chmod 755 $Path }
    $start = New-Object Diagnostics.ProcessStartInfo $Path, 'version'
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $process = $null
    try {
      $process = [Diagnostics.Process]::Start($start)
      $process.StandardInput.Close()
      $output = $process.StandardOutput.ReadToEndAsync()
      $trouble = $process.StandardError.ReadToEndAsync()
      if (-not $process.WaitForExit($PatienceSeconds * 1000)) { throw "it does not end in $PatienceSeconds s" }
      if ($process.ExitCode -ne 0) { throw "it ends with $($process.ExitCode): $($trouble.Result.Trim())" }
      if ($output.Result -match '"skein"\s*:\s*"([^"]*)"') { return $Matches[1] }
      return ''
    } catch {
      Stop-Install "Cannot use `"$Url`": it is genuine, but does not start on this system: $($_.Exception.Message)" `
        'Choose another version with SKEIN_VERSION, or run Skein from its source with Deno'
    } finally {
      if ($null -ne $process) {
        if (-not $process.HasExited) {
          $process.Kill()
          $process.WaitForExit()
        }
        $process.Dispose()
      }
    }
  }

  # Lets the new binary take the place of the old one, which stays where that fails.
  function Install-File([string] $New, [string] $Target, [string] $Old) {
    try {
      $stream = [IO.File]::Open($New, 'Open', 'ReadWrite', 'None')
      try { $stream.Flush($true) } finally { $stream.Dispose() }
      if ([IO.File]::Exists($Target)) { [IO.File]::Replace($New, $Target, $Old, $true) }
      else { [IO.File]::Move($New, $Target) }
    } catch {
      # Windows says that it may fail between the two renames.
      if ([IO.File]::Exists($Old) -and -not [IO.File]::Exists($Target)) { [IO.File]::Move($Old, $Target) }
      Stop-Install "Cannot write `"$Target`": $($_.Exception.Message)" `
        'Let every Skein end that still runs, allow it, or choose another folder with SKEIN_INSTALL_DIR'
    }
  }

  # Removes what is temporary. The old binary cannot be removed while it runs.
  function Clear-Work([string] $Work) {
    try {
      if ([IO.Directory]::Exists($Work)) { [IO.Directory]::Delete($Work, $true) }
    } catch {
      [Console]::Error.WriteLine("skein: Cannot remove `"$Work`": $($_.Exception.Message)")
      [Console]::Error.WriteLine('       Remove it when every Skein that was started before has ended')
    }
  }

  function Write-Report([string] $Installed, [string] $Folder, [string] $Target) {
    [Console]::WriteLine("Skein $Installed is installed: $Target")
    $separator = [IO.Path]::DirectorySeparatorChar
    $onPath = @("$env:PATH" -split [IO.Path]::PathSeparator | ForEach-Object { $_.TrimEnd($separator) })
    if ($onPath -notcontains $Folder.TrimEnd($separator)) {
      [Console]::WriteLine("$Folder is not on PATH. To add it for this user, run this and open a new window:")
      $quoted = [Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($Folder)
      [Console]::WriteLine("  [Environment]::SetEnvironmentVariable('Path', '$quoted;' + " +
        "[Environment]::GetEnvironmentVariable('Path', 'User'), 'User')")
      return
    }
    $first = @(Get-Command skein.exe -CommandType Application -ErrorAction SilentlyContinue)
    if ($first.Count -gt 0 -and $first[0].Source -ne $Target) {
      [Console]::WriteLine("$Folder is on PATH, but $($first[0].Source) comes first")
    } else {
      [Console]::WriteLine("$Folder is on PATH: skein help")
    }
  }

  $work = $null
  try {
    # Windows PowerShell may offer older protocols only.
    if ($PSVersionTable.PSVersion.Major -lt 6) {
      [Net.ServicePointManager]::SecurityProtocol =
        [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    }
    $release = Get-ReleaseAddress
    $file = Get-FileName
    $folder = Get-Folder
    $target = [IO.Path]::Combine($folder, 'skein.exe')
    if ($folder.Contains(';')) {
      Stop-Install "Cannot install into `"$folder`": a folder with `";`" in its path cannot be on PATH" `
        'Choose another one with SKEIN_INSTALL_DIR'
    }
    if ([IO.Directory]::Exists($target)) {
      Stop-Install "Cannot install as `"$target`": that is a folder" `
        'Move it away, or choose another place with SKEIN_INSTALL_DIR'
    }
    # A private folder inside that of the binary: a rename out of it is atomic.
    $work = [IO.Path]::Combine($folder, ".skein-install.$([IO.Path]::GetRandomFileName())")
    try {
      [void] [IO.Directory]::CreateDirectory($work)
    } catch {
      Stop-Install "Cannot write to the folder `"$folder`": $($_.Exception.Message)" `
        'Allow it, or choose another one with SKEIN_INSTALL_DIR'
    }
    $list = [IO.Path]::Combine($work, $Sums)
    $new = [IO.Path]::Combine($work, 'skein.exe')
    Receive-File "$release/$Sums" $list
    $digest = Find-Digest $list $file "$release/$Sums"
    Receive-File "$release/$file" $new
    $found = Get-Digest $new
    if ($found -cne $digest) {
      Stop-Install "Cannot trust `"$release/$file`": its digest is $found, $Sums says $digest" `
        'It was damaged or changed on its way: run this again, and if it stays so, tell those who publish Skein'
    }
    $installed = Test-Start $new "$release/$file"
    Install-File $new $target ([IO.Path]::Combine($work, 'old.exe'))
    Write-Report $installed $folder $target
  } catch {
    [Console]::Error.WriteLine("skein: $($_.Exception.Message)")
    # Piped into Invoke-Expression, `exit` would close the window of the user.
    if (-not $PSCommandPath) { throw 'Skein was not installed' }
    exit 1
  } finally {
    if ($null -ne $work) { Clear-Work $work }
  }
} $Version
